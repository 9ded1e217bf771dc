import type { RequestHandler } from 'express'
import { SIGNING_ALGORITHMS } from '../../../protocol/openid/oid4vci/authorization/dpop.ts'
import { describedAs } from '../../../protocol/tokens-logs/index.ts'
import type { Problem } from '../problem.ts'
import { OAUTH_ERRORS } from './areas.ts'
import type { FindPath } from './paths.ts'
import type { Schemas } from './schemas.ts'

/**
 * Notes that a path reads no access token of this API, and answers with errors of OAuth 2.0: for wallets, relying parties, and
 * clients that ask for a token. They are found by the path alone: a wrong method is refused in the same form.
 */
export const noteWallets =
  (find: FindPath): RequestHandler =>
  (request, response, next) => {
    const operations = [...(find(request.path)?.operations.values() ?? [])]
    const code = operations.map((operationId) => OAUTH_ERRORS[operationId]).find((each) => each !== undefined)
    if (code !== undefined) {
      request.isOfWallet = true
      response.locals.oauthError = code
    }
    next()
  }

/** Problems of this API's own token endpoint and the standard's codes (RFC 6749, section 5.2). */
const TOKEN_ERRORS: Record<string, string> = {
  'token.invalid_client': 'invalid_client',
  'token.invalid_scope': 'invalid_scope',
  'token.unsupported_grant': 'unsupported_grant_type',
}

/** The standard's code of a problem: its own, or what follows from its status. */
function errorOf(code: string, status: number, malformed: string): string {
  const known = TOKEN_ERRORS[code]
  if (known !== undefined) return known
  const [, own] = /^(?:wallet|oidc_token)\.(.+)$/.exec(code) ?? []
  if (own !== undefined) return own.replace(/_for_token$/, '')
  if (status === 401) return 'invalid_token'
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : malformed
}

/** A problem that wallets read as an error of OAuth 2.0 as well: further members are allowed there (RFC 6749, section 5.2). */
export const oauthErrorOf = (problem: Problem, code: string, malformed: string) => ({
  error: errorOf(code, problem.status, malformed),
  ...(problem.detail !== undefined && { error_description: describedAs(problem.detail) }),
  ...problem,
})

/** The example of a problem, as wallets read it. */
export const oauthExampleOf = (problem: Problem, malformed: string) =>
  oauthErrorOf(problem, problem.type?.replace('/problems#', '') ?? '', malformed)

/** The schemas with that of a problem that wallets read. */
export function withOAuthProblem(schemas: Schemas): Schemas {
  const { Problem: problem } = schemas as { Problem?: { properties: Schemas; required: string[] } }
  if (!problem) return schemas
  const OAuthProblem = {
    ...problem,
    description: 'Problem details (RFC 9457) that are an error of OAuth 2.0 as well (RFC 6749, section 5.2).',
    properties: {
      error: { type: 'string', description: 'The error code of the standard.' },
      error_description: { type: 'string', description: 'The detail, in the characters of the standard.' },
      ...problem.properties,
    },
    required: ['error', ...problem.required],
    example: {
      error: 'invalid_request',
      title: 'Bad Request',
      status: 400,
      instance: '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
    },
  }
  return { ...schemas, OAuthProblem }
}

const ALGORITHMS = `algs="${SIGNING_ALGORITHMS.join(' ')}"`

/**
 * The challenge of a 401 for a wallet (RFC 6750, section 3; RFC 9449, section 7.1); undefined where the wallet itself did
 * not authenticate, for which it has no scheme. One that sent no token is told what it may send, and no error.
 */
export function challengeOf(
  code: string,
  authorization: string | undefined,
  requiresDpop: boolean,
): string | undefined {
  if (code.endsWith('.invalid_client')) return undefined
  if (code === 'wallet.invalid_token' && authorization === undefined)
    return `DPoP ${ALGORITHMS}${requiresDpop ? '' : ', Bearer'}`
  const isBound = code.endsWith('_for_token') || /^DPoP\b/i.test(authorization ?? '')
  const error = `error="${errorOf(code, 401, '')}"`
  return isBound ? `DPoP ${error}, ${ALGORITHMS}` : `Bearer ${error}`
}
