import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Key } from '../../../entities/keys.ts'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { authMethodOf, type ProviderMetadata } from '../../../protocol/openid/metadata.ts'
import {
  type AuthMethod,
  checkProviderValues,
  DEFAULT_SCOPE,
  needsSecret,
  type ProviderValues,
  providerFault,
  readIssuer,
  SECRET_MASK,
} from '../../../protocol/openid/providers.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { createKeyRows, type NewKey } from '../../keys/rows.ts'
import { type Clients, secretBoundTo } from './clients.ts'
import { discoveryFault } from './faults.ts'
import { type ProviderRecord, redirectUrlOf, toRecord } from './records.ts'

export const MAX_PROVIDERS = 20

export const providerNotFound = () =>
  new Refusal('authentication_provider.not_found', 'There is no such authentication provider.')

/** What a caller gives for a new provider. */
export interface NewProvider extends ProviderValues {
  url: string | undefined
  clientId: string
}

const secretMissing = (method: AuthMethod) =>
  providerFault('client_secret', 'missing', `expected a secret, because the client authenticates by ${method}`)

interface Parts extends Pick<Dependencies, 'database' | 'keys' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
  tenants: Pick<Tenants, 'byId'>
  clients: Pick<Clients, 'readMetadata'>
}

/** Finds a provider of the tenant. Throws `Refusal('authentication_provider.not_found')`. */
export async function findProvider(em: SqlEntityManager, id: string, lock = false): Promise<AuthenticationProvider> {
  const row = await em.findOne(AuthenticationProvider, { id }, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
  if (!row) throw providerNotFound()
  return row
}

/** Authentication providers: create, list, read, update (specification, Authentication provider). */
export function createProviders(parts: Parts) {
  const { database, now, uuid, operations, sealer, tenants, clients } = parts
  const { createKey } = createKeyRows(parts)

  const readMetadata = (issuer: URL): Promise<ProviderMetadata> =>
    clients.readMetadata(issuer).catch((error: unknown) => {
      throw discoveryFault(error)
    })

  const sealed = (tenantId: string, id: string, secret: string): Buffer =>
    sealer.seal(Buffer.from(secret), secretBoundTo(tenantId, id))

  const redirectOf = async (tenantId: string) => redirectUrlOf(await tenants.byId(tenantId))

  /** The columns of a key that becomes the provider's in this transaction. */
  async function giveKey(em: SqlEntityManager, id: string, key: NewKey | undefined) {
    if (!key) return {}
    const publicKey = Buffer.from(key.publicKey)
    await em.nativeUpdate(Key, { id: key.keyId }, { ownerId: id, publicKey, custody: key.custody })
    return { keyId: key.keyId, publicKey }
  }

  return {
    /**
     * Reads the provider's metadata, so that a wrong issuer is found now and not by a holder. Throws
     * `authentication_provider.invalid`, `.unreachable`, `.unsuitable`, `.too_many`.
     */
    async createProvider(call: Call, { url, ...values }: NewProvider): Promise<ProviderRecord> {
      const { tenantId, idempotency } = call
      // an earlier attempt made the provider: make no second key
      if (idempotency && 'effect' in idempotency) return idempotency.effect as ProviderRecord
      if (url === undefined) throw providerFault('url', 'missing', 'expected the issuer of the provider')
      const issuer = readIssuer(url)
      checkProviderValues(values)
      const { clientSecret } = values
      if (clientSecret === SECRET_MASK) throw providerFault('client_secret', 'mask', 'expected the secret itself')
      const metadata = await readMetadata(issuer)
      const authMethod = authMethodOf(metadata, values.authMethod as AuthMethod | undefined)
      if (needsSecret(authMethod) && clientSecret === undefined) throw secretMissing(authMethod)
      const key = authMethod === 'private_key_jwt' ? await createKey(tenantId, 'p256') : undefined
      const redirectUrl = await redirectOf(tenantId)
      const id = uuid()
      return operations.change(call, 'createAuthenticationProvider', { id }, async (em) => {
        await takeTurn(em, `authentication providers of ${tenantId}`)
        if ((await em.count(AuthenticationProvider)) >= MAX_PROVIDERS)
          throw new Refusal(
            'authentication_provider.too_many',
            `A tenant can have ${MAX_PROVIDERS} authentication providers. Change one of them.`,
          )
        const at = now()
        const row = em.create(AuthenticationProvider, {
          ...{ id, tenantId, url: metadata.issuer, clientId: values.clientId, authMethod },
          clientSecret: clientSecret === undefined ? null : sealed(tenantId, id, clientSecret),
          scope: [...(values.scope ?? DEFAULT_SCOPE)],
          claimsToPersist: [...(values.claimsToPersist ?? [])],
          forwardedParameters: [...(values.forwardedParameters ?? [])],
          staticParameters: { ...values.staticParameters },
          ...(await giveKey(em, id, key)),
          createdAt: at,
          updatedAt: at,
        })
        await em.flush()
        return toRecord(row, redirectUrl)
      })
    },

    /** Newest first. */
    async listProviders(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      const redirectUrl = await redirectOf(tenantId)
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [rows, total] = await inTenant(database.tenants, tenantId, (em) =>
        em.findAndCount(AuthenticationProvider, {}, { orderBy, limit, offset }),
      )
      return { providers: await Promise.all(rows.map((row) => toRecord(row, redirectUrl))), total }
    },

    async readProvider(tenantId: string, id: string): Promise<ProviderRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => findProvider(em, id))
      return toRecord(row, await redirectOf(tenantId))
    },

    /**
     * Changes the values that are given. Another way to authenticate is compared with the provider's metadata. An
     * authorization under way goes on with the new values.
     */
    async updateProvider(call: Call, id: string, values: ProviderValues): Promise<ProviderRecord> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as ProviderRecord
      checkProviderValues(values)
      const before = await inTenant(database.tenants, tenantId, (em) => findProvider(em, id))
      const wanted = (values.authMethod ?? before.authMethod) as AuthMethod
      if (wanted !== before.authMethod) authMethodOf(await readMetadata(new URL(before.url)), wanted)
      const newKey = wanted === 'private_key_jwt' && !before.keyId ? await createKey(tenantId, 'p256') : undefined
      const redirectUrl = await redirectOf(tenantId)
      return operations.change(call, 'updateAuthenticationProvider', { id }, async (em) => {
        const row = await findProvider(em, id, true)
        const { clientSecret: secret, scope, claimsToPersist, forwardedParameters, staticParameters } = values
        Object.assign(row, {
          ...(values.clientId !== undefined && { clientId: values.clientId }),
          ...(values.authMethod !== undefined && { authMethod: wanted }),
          ...(secret !== undefined && secret !== SECRET_MASK && { clientSecret: sealed(tenantId, id, secret) }),
          ...(scope && { scope: [...scope] }),
          ...(claimsToPersist && { claimsToPersist: [...claimsToPersist] }),
          ...(forwardedParameters && { forwardedParameters: [...forwardedParameters] }),
          ...(staticParameters && { staticParameters: { ...staticParameters } }),
          // of two concurrent changes the second leaves its key to the reaper
          ...(row.keyId ? {} : await giveKey(em, id, newKey)),
          updatedAt: now(),
        })
        const method = row.authMethod as AuthMethod
        if (needsSecret(method) && !row.clientSecret) throw secretMissing(method)
        if (method === 'private_key_jwt' && !row.keyId)
          throw new Refusal('authentication_provider.changed', 'Another request changed the provider at the same time.')
        await em.flush()
        return toRecord(row, redirectUrl)
      })
    },
  }
}

export type Providers = ReturnType<typeof createProviders>
