import { type FieldError, Refusal, within } from '../../errors.ts'
import { LOOPBACK_HOSTS } from '../../hosts/names.ts'
import { NOT_OF_URLS, readCalledUrl } from '../../hosts/urls.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import { REVERSE_DOMAIN } from '../oid4vci/authorization/redirects.ts'

export const APPLICATION_TYPES = ['web', 'native'] as const
export type ApplicationType = (typeof APPLICATION_TYPES)[number]

/** What the platform's own keys sign with (D-527). */
export const ID_TOKEN_ALGORITHMS = ['ES256', 'EdDSA'] as const
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number]

export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

export const CLIENT_GRANT_TYPES = ['authorization_code', 'refresh_token'] as const

/** Values of a client (specification, OIDC verifier client). */
export interface ClientValues {
  name: string
  applicationType: string
  redirectUris: readonly string[]
  grantTypes: readonly string[]
  responseTypes: readonly string[]
  tokenEndpointAuthMethod: string
  idTokenSignedResponseAlg: string
  logoUri: string | null
}

export const hasSecret = (method: string): boolean => method !== 'none'

const MAX_REDIRECTS = 20
const MAX_URI = 2_048

type Fault = { code: string; message: string } | undefined

function redirectFault(uri: string, isNative: boolean): Fault {
  const broken = (code: string, message: string): Fault => ({ code, message })
  if (uri.length > MAX_URI) return broken('length', `expected at most ${MAX_URI} characters`)
  if (/[^\x21-\x7e]/.test(uri) || NOT_OF_URLS.test(uri) || !URL.canParse(uri))
    return broken('url', 'expected an absolute URI in ASCII')
  if (uri.includes('#')) return broken('fragment', 'expected no fragment')
  if (uri.includes('?')) return broken('query', 'expected no query')
  if (uri.includes('*')) return broken('wildcard', 'expected the whole URI: it is compared as a text')
  const url = new URL(uri)
  if (url.username || url.password) return broken('user_info', 'expected no user info before the host')
  if (url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname))
    return isNative || url.hostname === 'localhost'
      ? undefined
      : broken('address', 'expected a name, not an IP address')
  if (isNative && REVERSE_DOMAIN.test(url.protocol)) return undefined
  const read = readCalledUrl(uri)
  if ('url' in read) return undefined
  const others = isNative
    ? ', http on loopback, or a scheme such as com.example.app:'
    : ', or http://localhost for trials'
  return broken(read.fault.rule, `expected an https URL of a public host${others}: ${read.fault.message}`)
}

function redirectErrors({ redirectUris, applicationType }: ClientValues): FieldError[] {
  const at = (path: string, fault: Fault): FieldError[] => (fault ? [{ path, ...fault }] : [])
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS)
    return at('redirectUris', { code: 'count', message: `expected 1 to ${MAX_REDIRECTS}` })
  return redirectUris.flatMap((uri, place) => {
    const path = within('redirectUris', place)
    if (redirectUris.indexOf(uri) < place) return at(path, { code: 'repeated', message: 'expected each once' })
    return at(path, redirectFault(uri, applicationType === 'native'))
  })
}

function listErrors(path: string, list: readonly string[], allowed: readonly string[], needed: string): FieldError[] {
  const errors = list.flatMap((value, place): FieldError[] => {
    const at = within(path, place)
    if (!allowed.includes(value)) return [{ path: at, code: 'enum', message: `expected one of ${allowed.join(', ')}` }]
    return list.indexOf(value) < place ? [{ path: at, code: 'repeated', message: 'expected each once' }] : []
  })
  return list.includes(needed)
    ? errors
    : [...errors, { path, code: 'required', message: `expected ${needed} among them` }]
}

const oneOf = (path: string, value: string, allowed: readonly string[]): FieldError[] =>
  allowed.includes(value) ? [] : [{ path, code: 'enum', message: `expected one of ${allowed.join(', ')}` }]

function logoErrors(logoUri: string | null): FieldError[] {
  if (logoUri === null) return []
  if (NOT_OF_URLS.test(logoUri))
    return [{ path: 'logoUri', code: 'characters', message: 'expected a URL without spaces and "<>\\^`{|}' }]
  const read = readCalledUrl(logoUri, { query: 'keep' })
  if ('url' in read) return []
  return [
    {
      path: 'logoUri',
      code: read.fault.rule,
      message: `expected an https URL of a public host: ${read.fault.message}`,
    },
  ]
}

/** Throws `Refusal('oidc_client.invalid')` with each broken rule. */
export function checkClient(values: ClientValues): void {
  const { name, applicationType, tokenEndpointAuthMethod: method, idTokenSignedResponseAlg: algorithm } = values
  const errors: FieldError[] = [
    ...(isLabel(name) ? [] : [{ path: 'name', code: 'text', message: LABEL_EXPECTED }]),
    ...oneOf('applicationType', applicationType, APPLICATION_TYPES),
    ...redirectErrors(values),
    ...listErrors('grantTypes', values.grantTypes, CLIENT_GRANT_TYPES, 'authorization_code'),
    ...listErrors('responseTypes', values.responseTypes, ['code'], 'code'),
    ...oneOf('tokenEndpointAuthMethod', method, CLIENT_AUTH_METHODS),
    ...oneOf('idTokenSignedResponseAlg', algorithm, ID_TOKEN_ALGORITHMS),
    ...logoErrors(values.logoUri),
  ]
  if (errors.length > 0)
    throw new Refusal('oidc_client.invalid', 'The client has values that cannot be used; see errors.', errors)
}
