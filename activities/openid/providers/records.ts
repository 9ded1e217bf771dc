import { calculateJwkThumbprint, type JWK } from 'jose'
import type { AuthenticationProvider, StaticParameter } from '../../../entities/openid/providers.ts'
import { toJwk } from '../../../protocol/dids/jwk.ts'
import { ASSERTION_ALGORITHM } from '../../../protocol/openid/metadata.ts'
import type { AuthMethod } from '../../../protocol/openid/providers.ts'

export interface PublicSigningJwk {
  kty: string
  crv: string
  x: string
  y: string
  kid: string
  use: string
  alg: string
}

/** The public half of the key that signs client assertions. */
export async function jwkOf(publicKey: Uint8Array): Promise<PublicSigningJwk> {
  const { kty, crv = '', x = '', y = '' } = toJwk({ keyType: 'p256', publicKey: new Uint8Array(publicKey) })
  const jwk = { kty, crv, x, y }
  return { ...jwk, kid: await calculateJwkThumbprint(jwk as JWK), use: 'sig', alg: ASSERTION_ALGORITHM }
}

export interface ProviderRecord {
  id: string
  url: string
  clientId: string
  /** The secret itself is never read again. */
  hasSecret: boolean
  scope: string[]
  claimsToPersist: string[]
  forwardedParameters: string[]
  staticParameters: Record<string, StaticParameter>
  authMethod: AuthMethod
  /** Only where the client authenticates by private_key_jwt. */
  jwk: PublicSigningJwk | null
  redirectUrl: string
}

/** Where every provider of a tenant sends the holder back to. */
export const redirectUrlOf = ({ baseUrl }: { baseUrl: string }) => `${baseUrl}/v1/oauth/authentication/callback`

export const toRecord = async (row: AuthenticationProvider, redirectUrl: string): Promise<ProviderRecord> => ({
  id: row.id,
  url: row.url,
  clientId: row.clientId,
  hasSecret: row.clientSecret !== null && row.clientSecret !== undefined,
  scope: row.scope,
  claimsToPersist: row.claimsToPersist,
  forwardedParameters: row.forwardedParameters,
  staticParameters: row.staticParameters,
  authMethod: row.authMethod as AuthMethod,
  jwk: row.authMethod === 'private_key_jwt' && row.publicKey ? await jwkOf(row.publicKey) : null,
  redirectUrl,
})
