import { type FieldError, Refusal, within } from '../errors.ts'
import { isReservedName } from '../names.ts'

/** Ways in which a client authenticates at the token endpoint (OpenID Connect Core 1.0, section 9). */
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

export const needsSecret = (method: AuthMethod): boolean => method.startsWith('client_secret')

export const DEFAULT_SCOPE: readonly string[] = ['openid', 'profile', 'email']

/** What answers show in place of a secret. An update that repeats it changes nothing. */
export const SECRET_MASK = '********'

const MAX_NAMES = 50
const MAX_NAME = 255
const MAX_VALUE = 2_000
const MAX_SECRET = 2_048

/** Parameters that the platform sets itself, or that would take their place (RFC 6749, 7636, 9101, OpenID Connect). */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'dpop_jkt',
  'grant_type',
  'nonce',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
])

/** Values of a provider that a caller gives; undefined: not given. */
export interface ProviderValues {
  clientId?: string | undefined
  clientSecret?: string | undefined
  scope?: readonly string[] | undefined
  claimsToPersist?: readonly string[] | undefined
  forwardedParameters?: readonly string[] | undefined
  staticParameters?: Readonly<Record<string, StaticValue>> | undefined
  authMethod?: string | undefined
}

export type StaticValue = string | Record<string, string>

/** Characters of client ids and secrets (RFC 6749, appendix A: VSCHAR), of scopes and of parameter names. */
const VSCHAR = /^[\x20-\x7e]+$/
const TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/
const PARAMETER = /^[A-Za-z0-9._~-]+$/
const UNREADABLE = /\p{Cc}/u

const fault = (path: string, code: string, message: string): FieldError[] => [{ path, code, message }]

function listFaults(
  path: string,
  list: readonly string[] | undefined,
  check: (name: string, path: string) => FieldError[],
): FieldError[] {
  if (list === undefined) return []
  if (list.length > MAX_NAMES) return fault(path, 'count', `expected at most ${MAX_NAMES}`)
  return list.flatMap((name, at) =>
    list.indexOf(name) < at ? fault(within(path, at), 'repeated', 'expected each once') : check(name, within(path, at)),
  )
}

const parameterFaults = (name: string, path: string): FieldError[] => {
  if (name.length > MAX_NAME || !PARAMETER.test(name) || isReservedName(name))
    return fault(path, 'parameter', 'expected the name of a parameter, such as login_hint')
  if (OWN_PARAMETERS.has(name))
    return fault(path, 'own', 'expected another parameter: the platform sets this one itself')
  return []
}

const claimFaults = (name: string, path: string): FieldError[] =>
  name.length > 0 && name.length <= MAX_NAME && !UNREADABLE.test(name) && !isReservedName(name)
    ? []
    : fault(path, 'claim', `expected the name of a claim, 1 to ${MAX_NAME} characters`)

/** Parameters that an offer has for a provider: as those of a holder, and none that the platform sets. */
export const requestedFaults = (parameters: Readonly<Record<string, string>>): FieldError[] => {
  const path = 'requestedParameters'
  const entries = Object.entries(parameters)
  if (entries.length > MAX_NAMES) return fault(path, 'count', `expected at most ${MAX_NAMES}`)
  return entries.flatMap(([name, value]) => {
    const at = within(path, name.slice(0, MAX_NAME))
    if (value.length > MAX_VALUE || UNREADABLE.test(value))
      return fault(at, 'text', `expected a text of at most ${MAX_VALUE} characters`)
    if (name === 'max_age' && !/^\d{1,9}$/.test(value)) return fault(at, 'seconds', 'expected seconds, such as "300"')
    return parameterFaults(name, at)
  })
}

/** The text that a static parameter sends: of an object its member `Text`, where it has no other one, or else its JSON. */
export function textOfStatic(value: StaticValue): string {
  if (typeof value === 'string') return value
  const [first, ...others] = Object.entries(value)
  return first?.[0] === 'Text' && others.length === 0 ? first[1] : JSON.stringify(value)
}

function staticFaults(parameters: ProviderValues['staticParameters']): FieldError[] {
  const path = 'static_request_parameters'
  const entries = Object.entries(parameters ?? {})
  if (entries.length > MAX_NAMES) return fault(path, 'count', `expected at most ${MAX_NAMES}`)
  return entries.flatMap(([name, value]) => {
    const at = within(path, name.slice(0, MAX_NAME))
    const text = textOfStatic(value)
    if (text.length === 0 || text.length > MAX_VALUE || UNREADABLE.test(text))
      return fault(at, 'text', `expected a text of 1 to ${MAX_VALUE} characters`)
    if (name === 'max_age' && !/^\d{1,9}$/.test(text)) return fault(at, 'seconds', 'expected seconds, such as "300"')
    return parameterFaults(name, at)
  })
}

const textFaults = (path: string, text: string | undefined, most: number): FieldError[] =>
  text === undefined || (text.length <= most && VSCHAR.test(text))
    ? []
    : fault(path, 'text', `expected 1 to ${most} characters of ASCII without control characters`)

/** Throws `Refusal('authentication_provider.invalid')` that names every broken rule. */
export function checkProviderValues(values: ProviderValues): void {
  const { clientId, clientSecret, scope, claimsToPersist, forwardedParameters, staticParameters, authMethod } = values
  const errors = [
    ...textFaults('client_id', clientId, MAX_NAME),
    ...textFaults('client_secret', clientSecret, MAX_SECRET),
    ...listFaults('scope', scope, (name, path) =>
      name.length <= MAX_NAME && TOKEN.test(name) ? [] : fault(path, 'scope', 'expected a scope, such as profile'),
    ),
    ...(scope && !scope.includes('openid') ? fault('scope', 'openid', 'expected openid among the scopes') : []),
    ...listFaults('claims_to_persist', claimsToPersist, claimFaults),
    ...listFaults('forwarded_request_parameters', forwardedParameters, parameterFaults),
    ...staticFaults(staticParameters),
    ...(authMethod !== undefined && !AUTH_METHODS.some((method) => method === authMethod)
      ? fault('token_endpoint_auth_method', 'unknown', `expected one of: ${AUTH_METHODS.join(', ')}`)
      : []),
  ]
  if (errors.length > 0) throw refuseProvider(errors)
}

export const refuseProvider = (errors: FieldError[]): Refusal =>
  new Refusal('authentication_provider.invalid', 'The authentication provider cannot be used; see errors.', errors)

export const providerFault = (path: string, code: string, message: string): Refusal =>
  refuseProvider(fault(path, code, message))

/**
 * Checks an issuer as a caller wrote it, before anything is called. Throws `Refusal('authentication_provider.invalid')`.
 */
export function readIssuer(text: string): URL {
  const refuse = (code: string, message: string): never => {
    throw providerFault('url', code, message)
  }
  if (!URL.canParse(text)) return refuse('url', 'expected an https URL such as https://login.example.com')
  const url = new URL(text)
  if (url.protocol !== 'https:') refuse('https', 'expected a URL that begins with https://')
  if (text.includes('?') || text.includes('#')) refuse('issuer', 'expected an issuer: no query and no fragment')
  if (url.pathname.includes('/.well-known/'))
    refuse('issuer', 'expected the issuer, without /.well-known/openid-configuration')
  return url
}

/** Values that a holder's request gave, of the parameters that the provider gets; static ones are not replaced. */
export function parametersOf(
  { forwardedParameters, staticParameters }: Required<Pick<ProviderValues, 'forwardedParameters' | 'staticParameters'>>,
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const forwarded = (forwardedParameters ?? []).flatMap((name) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) return []
    const isSeconds = name !== 'max_age' || /^\d{1,9}$/.test(value)
    if (value.length > MAX_VALUE || UNREADABLE.test(value) || !isSeconds)
      throw new Refusal('authentication.invalid_parameter', `The parameter ${name} cannot be forwarded.`, [
        { path: name, code: 'text', message: `expected a text of at most ${MAX_VALUE} characters` },
      ])
    return [[name, value]]
  })
  const fixed = Object.entries(staticParameters ?? {}).map(([name, value]) => [name, textOfStatic(value)])
  return Object.fromEntries([...forwarded, ...fixed])
}
