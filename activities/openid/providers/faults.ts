import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { OutboundFault } from '../../frame/outbound/faults.ts'

const MAX_CAUSES = 8

/** The error of our own that a library passed on as a cause; undefined: the error is the library's. */
export function ourCause(error: unknown): Refusal | Unavailable | undefined {
  let cause = error
  for (let at = 0; at < MAX_CAUSES && cause instanceof Error; at += 1) {
    if (cause instanceof Refusal || cause instanceof Unavailable) return cause
    cause = cause.cause
  }
  return undefined
}

/** Whether an error of openid-client is about what the provider sent. A TypeError is about a malformed URL or key. */
const isOfProvider = (error: unknown): boolean =>
  error instanceof ClientError ||
  error instanceof ResponseBodyError ||
  error instanceof AuthorizationResponseError ||
  error instanceof WWWAuthenticateChallengeError ||
  error instanceof TypeError ||
  error instanceof RangeError

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

/** openid-client compares the issuer before we do. */
const OTHER_ISSUER = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

/** A code that a provider sent, when it has the form of one (RFC 6749, section 5.2). */
export const shownCode = (code: string): string => (/^[a-z_]{1,64}$/.test(code) ? code : 'unknown')

const atUrl = (code: string, message: string) => [{ path: 'url', code, message }]

/** Says why the metadata of a provider could not be read, for the caller who named it. */
export function discoveryFault(error: unknown): unknown {
  const cause = ourCause(error)
  if (cause instanceof OutboundFault && cause.kind !== 'busy')
    return new Refusal(
      'authentication_provider.unreachable',
      `The provider cannot be reached: ${cause.message}`,
      atUrl(cause.kind, 'expected the issuer of a provider that answers from the internet'),
      { cause },
    )
  if (cause instanceof Refusal && cause.code.startsWith('outbound.'))
    return new Refusal(
      'authentication_provider.unreachable',
      `The provider cannot be reached: ${cause.message}`,
      atUrl(cause.code.slice('outbound.'.length), 'expected the issuer of a provider that answers from the internet'),
      { cause },
    )
  if (cause) return cause
  if (!isOfProvider(error)) return error
  if (codeOf(error) === OTHER_ISSUER)
    return new Refusal(
      'authentication_provider.unsuitable',
      'The provider cannot be used: its metadata is of another issuer.',
      atUrl('issuer', 'expected the issuer exactly as its metadata writes it'),
      { cause: error },
    )
  return new Refusal(
    'authentication_provider.unsuitable',
    'The provider cannot be used: there is no valid metadata below its issuer, at /.well-known/openid-configuration.',
    atUrl('metadata', 'expected an issuer with metadata of OpenID Connect Discovery 1.0, as application/json'),
    { cause: error },
  )
}

/** Says why a holder is not identified. What the provider wrote for people is not repeated. */
export function authenticationFault(error: unknown): unknown {
  const cause = ourCause(error)
  if (cause instanceof Refusal && cause.code.startsWith('outbound.'))
    return new Refusal(
      'authentication.invalid_answer',
      `The provider cannot be called: ${cause.message}`,
      [{ path: '', code: cause.code, message: 'expected an answer over https from the internet' }],
      { cause },
    )
  if (cause) return cause
  if (error instanceof AuthorizationResponseError)
    return new Refusal(
      'authentication.refused',
      `The provider did not identify the holder: ${shownCode(error.error)}.`,
      [{ path: 'error', code: shownCode(error.error), message: 'expected code in the answer of the provider' }],
      { cause: new Error(`the provider answered ${shownCode(error.error)}`) },
    )
  if (error instanceof WWWAuthenticateChallengeError)
    return new Refusal(
      'authentication.invalid_answer',
      'The provider refuses this client. Compare client_id, client_secret and token_endpoint_auth_method with what it has.',
      [
        {
          path: '',
          code: 'client_refused',
          message: 'expected a provider that accepts the client, and its own tokens',
        },
      ],
      // a challenge says whatever the provider likes
      { cause: new Error(`the provider answered ${error.status} with a challenge`) },
    )
  if (!isOfProvider(error)) return error
  const code = error instanceof ResponseBodyError ? shownCode(error.error) : codeOf(error)
  return new Refusal(
    'authentication.invalid_answer',
    'The answer of the provider is not valid.',
    [{ path: '', code, message: 'expected an answer of OpenID Connect Core 1.0, section 3.1' }],
    // the library's own causes contain tokens
    {
      cause: new Error(
        error instanceof Error && !(error instanceof ResponseBodyError) ? `${error.message} (${code})` : code,
      ),
    },
  )
}
