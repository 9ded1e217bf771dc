import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { answerAt } from '../../../protocol/openid/oid4vci/authorization/redirects.ts'
import type { Target } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { describedAs } from '../../../protocol/tokens-logs/index.ts'
import type { Cookie } from './records.ts'

/** Where a browser goes next. */
export interface Answer {
  location: string
  cookie?: Cookie
  sessionId?: string
  /** Code of the refusal that the wallet is told of: for the log. */
  problem?: string
}

/** Errors that a wallet knows at its own address (RFC 6749, section 4.1.2.1; RFC 9396; OpenID Connect Core 1.0, 3.1.2.6). */
const TOLD: ReadonlySet<string> = new Set([
  ...['invalid_request', 'unauthorized_client', 'access_denied', 'unsupported_response_type', 'invalid_scope'],
  ...['invalid_authorization_details', 'request_not_supported', 'invalid_request_uri'],
])

/** The standard's code of a refusal of ours. */
function errorOf(error: Refusal | Unavailable): string {
  if (error instanceof Unavailable) return 'temporarily_unavailable'
  const own = error.code.replace(/^wallet\./, '')
  if (own !== error.code && TOLD.has(own)) return own
  if (error.code === 'authentication.refused') return 'access_denied'
  return error.code === 'authentication.invalid_parameter' ? 'invalid_request' : 'server_error'
}

/** The code of a refusal, for the log and the steps of a session. */
export const codeOf = (error: unknown): string =>
  error instanceof Refusal ? error.code : error instanceof Unavailable ? `${error.part}.unavailable` : 'internal'

/** An error at the wallet's address, with iss, so that no other issuer is taken for the one that failed (RFC 9207). */
export function refusalAt(issuer: string, { redirectUri, state }: Target, error: unknown): Answer {
  if (!(error instanceof Refusal || error instanceof Unavailable)) throw error
  const [code, message] = [errorOf(error), describedAs(error.message)]
  return {
    location: answerAt(redirectUri, { error: code, error_description: message, state, iss: issuer }),
    problem: codeOf(error),
  }
}

/** Does a step of a login whose wallet may be told of errors. */
export async function answerOf(issuer: string, target: Target, step: () => Promise<Answer>): Promise<Answer> {
  try {
    return await step()
  } catch (error) {
    return refusalAt(issuer, target, error)
  }
}
