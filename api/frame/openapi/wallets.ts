import type { RequestHandler } from 'express'
import type { Problem } from '../problem.ts'
import { OAUTH_ERRORS } from './areas.ts'
import type { FindPath } from './paths.ts'

/**
 * Notes that a path answers wallets, whose access tokens are not those of this API, and which read errors of OAuth 2.0. They
 * are found by the path alone: a wrong method is refused in the same form.
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

/** Characters that a description may have (RFC 6749, section 5.2). */
const described = (text: string): string => text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')

/** The standard's code of a problem: its own, or what follows from its status. */
function errorOf(code: string, status: number, malformed: string): string {
  const [, own] = /^(?:wallet|oidc_token)\.(.+)$/.exec(code) ?? []
  if (own !== undefined) return own
  if (status === 401) return 'invalid_token'
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : malformed
}

/** A problem that wallets read as an error of OAuth 2.0 as well: further members are allowed there (RFC 6749, section 5.2). */
export const oauthErrorOf = (problem: Problem, code: string, malformed: string) => ({
  error: errorOf(code, problem.status, malformed),
  ...(problem.detail !== undefined && { error_description: described(problem.detail) }),
  ...problem,
})
