import { meaningOf } from '../problems.ts'
import { NOT_FOUND, thingIn } from './areas.ts'

interface Requirements {
  security?: readonly unknown[]
  parameters?: readonly unknown[]
  requestBody?: unknown
}

/**
 * The refusals that follow from what an operation needs: a valid request, a token with a scope, an existing resource,
 * a key that was not used before, and a caller within the limits. A @Response of the operation replaces them.
 */
export function derivedReplies(
  path: string,
  { security = [], parameters = [], requestBody }: Requirements,
  isKeyed: boolean,
) {
  const isSecured = security.length > 0
  const thing = thingIn(path)
  const sentence = (code: string) => ({ description: meaningOf(code) })
  return {
    ...((isSecured || parameters.length > 0 || requestBody !== undefined) && {
      400: { description: 'The request is not valid; errors names the fields.' },
    }),
    ...(isSecured && {
      401: { description: 'The request has no valid access token.' },
      403: sentence('token.insufficient_scope'),
    }),
    ...(thing !== undefined && { 404: sentence(NOT_FOUND[thing] ?? '') }),
    ...(isKeyed && { 409: sentence('idempotency.in_flight'), 422: sentence('idempotency.key_reused') }),
    429: sentence('request.too_many'),
  }
}
