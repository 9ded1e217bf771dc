import { NOT_FOUND, thingIn } from './areas.ts'

interface Asked {
  security?: readonly unknown[]
  parameters?: readonly unknown[]
  requestBody?: unknown
}

/**
 * The refusals that follow from what an operation needs: a usable request, a token with a scope, a thing that exists, and
 * a caller within the limits. A @Response of the operation's own says more, and takes their place.
 */
export function derivedReplies(path: string, { security = [], parameters = [], requestBody }: Asked) {
  const isSecured = security.length > 0
  const thing = thingIn(path)
  return {
    ...((isSecured || parameters.length > 0 || requestBody !== undefined) && {
      400: { description: 'the request is not usable; errors name the fields' },
    }),
    ...(isSecured && {
      401: { description: 'no valid access token' },
      403: { description: 'the access token lacks the scope' },
    }),
    ...(thing !== undefined && { 404: { description: NOT_FOUND[thing] ?? 'no such thing' } }),
    429: { description: 'too many requests; see Retry-After' },
  }
}
