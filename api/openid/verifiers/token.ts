import { Refusal } from '../../../protocol/errors.ts'
import { isObject } from '../../../protocol/json.ts'
import type { Answered } from './providers.ts'

/** The members of the specification's token requests, and the parameters that they are. */
const PARAMETERS = new Map([
  ['clientId', 'client_id'],
  ['clientSecret', 'client_secret'],
  ['code', 'code'],
  ['codeVerifier', 'code_verifier'],
  ['grantType', 'grant_type'],
  ['redirectUri', 'redirect_uri'],
  ['refreshToken', 'refresh_token'],
  ['scope', 'scope'],
])

const MAX_VALUE = 4_096

type Casing = 'snake' | 'camel'

const invalid = (path: string, code: string, message: string) =>
  new Refusal('oidc_token.invalid_request', 'The token request cannot be read; see errors.', [{ path, code, message }])

/** A token request as the form of OAuth 2.0. Other members are ignored (RFC 6749, section 3.2). */
export function toGrant(body: Record<string, unknown>): { form: Record<string, string>; casing: Casing } {
  const casing: Casing = Object.hasOwn(body, 'grantType') ? 'camel' : 'snake'
  const form = new Map<string, string>()
  for (const [name, parameter] of PARAMETERS) {
    const member = casing === 'camel' ? name : parameter
    const value = Object.hasOwn(body, member) ? body[member] : undefined
    if (value === undefined || value === null) continue
    if (typeof value !== 'string' || value.length > MAX_VALUE)
      throw invalid(member, 'text', `expected a text of at most ${MAX_VALUE} characters`)
    form.set(parameter, value)
  }
  // the specification's refresh names it, and OAuth does not know it there
  if (form.get('grant_type') === 'refresh_token') form.delete('redirect_uri')
  return { form: Object.fromEntries(form), casing }
}

const refused = (error: string, message: string): Refusal => new Refusal(`oidc_token.${error}`, message)

/** OAuth's codes (RFC 6749, section 5.2), and what this API says in their place. */
const REFUSALS: Readonly<Record<string, (message: string) => Refusal>> = {
  invalid_request: (message) => refused('invalid_request', message),
  invalid_client: (message) => refused('invalid_client', message),
  invalid_grant: (message) => refused('invalid_grant', message),
  unauthorized_client: (message) => refused('unauthorized_client', message),
  unsupported_grant_type: (message) => refused('unsupported_grant_type', message),
  invalid_scope: (message) => refused('invalid_scope', message),
  // a client that came by a transfer has no secret until it gets a new one
  invalid_client_metadata: () =>
    refused(
      'invalid_client',
      'The client cannot authenticate: it has no secret. updateOidcVerifierClient gives it one.',
    ),
}

/** What the provider answered in place of tokens. */
export function tokenRefusal(answered: Answered | undefined): Refusal {
  const body = isObject(answered?.body) ? answered.body : {}
  const { error, error_description: description } = body
  const refusal = typeof error === 'string' && Object.hasOwn(REFUSALS, error) ? REFUSALS[error] : undefined
  const isOfClient = answered !== undefined && answered.status >= 400 && answered.status < 500
  if (!refusal && isOfClient) return refused('invalid_request', 'The token request is refused.')
  if (!refusal) throw new Error(`the provider answered ${answered?.status} ${String(error)}`)
  return refusal(typeof description === 'string' ? description : 'The token request is refused.')
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Tokens, in the casing of their request. */
export function grantToWire(body: unknown, casing: Casing): Record<string, unknown> {
  if (!isObject(body)) throw new Error('the provider answered without tokens')
  if (casing === 'snake') return { ...body }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value]))
}
