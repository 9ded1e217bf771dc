import { fromJwk, type PublicJwk } from '../../../dids/jwk.ts'
import { type FieldError, Refusal, within } from '../../../errors.ts'
import { redirectFaults } from './redirects.ts'
import { CLIENT_ID, type WalletJwk } from './types.ts'

/** What a tenant says of a wallet. */
export interface WalletInput {
  name: string
  clientId: string
  redirectUris: readonly string[]
  jwks: { keys: readonly Readonly<Record<string, unknown>>[] } | undefined
}

const MAX_NAME = 200
const MAX_URIS = 20
const MAX_KEYS = 10

const fault = (path: string, code: string, message: string): FieldError[] => [{ path, code, message }]

/** Members of a JWK that are public, by key type (RFC 7518, section 6; RFC 8037). */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const
const CURVES: Readonly<Record<string, readonly string[]>> = { EC: ['P-256', 'P-384'], OKP: ['Ed25519'] }

/** Whether its coordinates are a point of its curve. */
function isPoint({ kty, crv, x, y }: PublicJwk): boolean {
  try {
    fromJwk({ kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }), ...(y !== undefined && { y }) })
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function keyFaults(key: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const { kty, crv } = key
  if ('d' in key || 'k' in key) return fault(path, 'private', 'expected a public key: this one is private')
  const curves = CURVES[String(kty)] ?? []
  const isKey = curves.includes(String(crv)) && isPoint(key as PublicJwk)
  const isText = PUBLIC_MEMBERS.every((name) => key[name] === undefined || String(key[name]).length <= 200)
  return isKey && isText ? [] : fault(path, 'jwk', 'expected the public key of P-256, P-384 or Ed25519 as a JWK')
}

/** What forbids a set of public keys, at `jwks`. */
export const faultsOfKeys = ({ keys }: NonNullable<WalletInput['jwks']>): FieldError[] =>
  keys.length === 0 || keys.length > MAX_KEYS
    ? fault('jwks.keys', 'count', `expected 1 to ${MAX_KEYS} keys`)
    : keys.flatMap((key, at) => keyFaults(key, within('jwks', 'keys', at)))

/** What forbids addresses for codes, at `redirectUris`. */
export const faultsOfRedirects = (uris: readonly string[]): FieldError[] =>
  uris.length > MAX_URIS
    ? fault('redirectUris', 'count', `expected at most ${MAX_URIS}`)
    : uris.flatMap((uri, at) =>
        uris.indexOf(uri) < at
          ? fault(within('redirectUris', at), 'repeated', 'expected each once')
          : redirectFaults(uri, within('redirectUris', at)),
      )

/** Throws `Refusal('openid_wallet.invalid')` that names every broken rule. */
export function checkWallet({ name, clientId, redirectUris, jwks }: WalletInput): void {
  const errors = [
    ...(name.length > 0 && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)
      ? []
      : fault('name', 'text', `expected 1 to ${MAX_NAME} characters`)),
    ...(CLIENT_ID.test(clientId)
      ? []
      : fault('clientId', 'text', 'expected 1 to 255 characters of ASCII without spaces')),
    ...(redirectUris.length === 0
      ? fault('redirectUris', 'count', `expected 1 to ${MAX_URIS}`)
      : faultsOfRedirects(redirectUris)),
    ...(jwks === undefined ? [] : faultsOfKeys(jwks)),
  ]
  if (errors.length > 0)
    throw new Refusal('openid_wallet.invalid', 'The wallet cannot be registered; see errors.', errors)
}

/** The public members of keys that were checked. */
export const publicKeys = (jwks: NonNullable<WalletInput['jwks']>): { keys: WalletJwk[] } => ({
  keys: jwks.keys.map(
    (key) =>
      Object.fromEntries(PUBLIC_MEMBERS.flatMap((name) => (name in key ? [[name, key[name]]] : []))) as WalletJwk,
  ),
})
