import { NOT_FOUND, thingIn } from './areas.ts'

interface Requirements {
  security?: readonly unknown[]
  parameters?: readonly unknown[]
  requestBody?: unknown
}

/**
 * The refusals that follow from what an operation needs: a valid request, a token with a scope, an existing resource,
 * and a caller within the limits. A @Response of the operation replaces them.
 */
export function derivedReplies(path: string, { security = [], parameters = [], requestBody }: Requirements) {
  const isSecured = security.length > 0
  const thing = thingIn(path)
  return {
    ...((isSecured || parameters.length > 0 || requestBody !== undefined) && {
      400: { description: 'the request is not valid; errors names the fields' },
    }),
    ...(isSecured && {
      401: { description: 'no valid access token' },
      403: { description: 'the access token does not have the scope' },
    }),
    ...(thing !== undefined && { 404: { description: NOT_FOUND[thing] ?? 'no such thing' } }),
    429: { description: 'too many requests; see Retry-After' },
  }
}
