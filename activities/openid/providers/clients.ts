import { LRUCache } from 'lru-cache'
import * as openid from 'openid-client'
import type { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { signCompactJws } from '../../../protocol/jws.ts'
import { ASSERTION_ALGORITHM, checkMetadata } from '../../../protocol/openid/metadata.ts'
import type { AuthMethod } from '../../../protocol/openid/providers.ts'
import type { Dependencies } from '../../dependencies.ts'
import { byClock } from '../../frame/caches.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { orLost } from '../../keys/lost.ts'
import { createFetch } from './fetch.ts'
import { jwkOf } from './records.ts'

/** Binds a secret to its row: in another row it does not open. */
export const secretBoundTo = (tenantId: string, providerId: string) => `${tenantId}/openid/${providerId}/secret`

/** It stayed behind in a transfer of the tenant (docs/transfers.md). */
const secretAbsent = (path: string, what: string) =>
  new Refusal(
    'authentication_provider.secret_absent',
    `The authentication provider has no ${what.replace('a ', '')} here: it stayed where the tenant came from. Set it with updateAuthenticationProvider.`,
    [{ path, code: 'absent', message: `expected ${what}` }],
  )

/** Time for which metadata is used without being read again. */
const REMEMBERED_MS = 5 * 60_000
/** Life of a client assertion. */
const ASSERTION_SECONDS = 60

interface Parts extends Pick<Dependencies, 'config' | 'outbound' | 'keys' | 'now' | 'uuid'> {
  sealer: Sealer
}

type Provider = Pick<
  AuthenticationProvider,
  'id' | 'tenantId' | 'url' | 'clientId' | 'clientSecret' | 'authMethod' | 'keyId' | 'publicKey' | 'updatedAt'
>

/** Throws errors of openid-client and of outbound calls, and `Refusal('authentication_provider.unsuitable')`. */
export const createMetadataReader =
  (fetch: openid.CustomFetch) =>
  async (issuer: URL): Promise<openid.ServerMetadata> => {
    const read = await openid.discovery(issuer, 'unknown', undefined, openid.None(), { [openid.customFetch]: fetch })
    const metadata = read.serverMetadata()
    checkMetadata(metadata, issuer)
    return metadata
  }

/** Reads the metadata of providers, and makes clients of them. */
export function createClients({ config, outbound, keys, now, uuid, sealer }: Parts) {
  const fetch = createFetch(outbound)
  const readMetadata = createMetadataReader(fetch)
  /** A client keeps the provider's key set; an unknown key makes it read the set again, at most once a minute. */
  const remembered = new LRUCache<string, openid.Configuration>({ max: 1_000, ttl: REMEMBERED_MS, ...byClock(now) })

  const secretOf = ({ tenantId, id, clientSecret }: Provider): string => {
    if (!clientSecret) throw secretAbsent('client_secret', 'a secret')
    return sealer.open(clientSecret, secretBoundTo(tenantId, id)).toString('utf8')
  }

  /** RFC 7523, section 3, with the issuer as audience; the private key stays in the key store. */
  const clientAssertion = ({ tenantId, keyId, publicKey }: Provider): openid.ClientAuth => {
    if (!keyId || !publicKey) throw secretAbsent('auth_method', 'a key')
    const sign = (data: Uint8Array) =>
      keys.sign({ tenantId, keyId, keyType: 'p256' }, data).catch(orLost('the key of a client'))
    return async (server, client, body) => {
      const { kid } = await jwkOf(publicKey)
      const iat = Math.floor(now().getTime() / 1000)
      const { client_id: iss } = client
      const claims = { iss, sub: iss, aud: server.issuer, jti: uuid(), iat, nbf: iat, exp: iat + ASSERTION_SECONDS }
      body.set('client_id', iss)
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      body.set('client_assertion', await signCompactJws({ alg: ASSERTION_ALGORITHM, kid }, claims, sign))
    }
  }

  const WAYS: Record<AuthMethod, (provider: Provider) => openid.ClientAuth> = {
    client_secret_basic: (provider) => openid.ClientSecretBasic(secretOf(provider)),
    client_secret_post: (provider) => openid.ClientSecretPost(secretOf(provider)),
    private_key_jwt: clientAssertion,
    none: () => openid.None(),
  }

  return {
    readMetadata,

    /** Throws as `readMetadata`. */
    async clientOf(provider: Provider): Promise<openid.Configuration> {
      const { id, url, clientId, authMethod, updatedAt } = provider
      const name = `${id} ${updatedAt.getTime()}`
      const cached = remembered.get(name)
      if (cached) return cached
      const way = WAYS[authMethod as AuthMethod](provider)
      const rules = { [openid.clockTolerance]: config.clockToleranceMs / 1000 }
      const client = new openid.Configuration(await readMetadata(new URL(url)), clientId, rules, way)
      client[openid.customFetch] = fetch
      openid.enableNonRepudiationChecks(client)
      remembered.set(name, client)
      return client
    },
  }
}

export type Clients = ReturnType<typeof createClients>
