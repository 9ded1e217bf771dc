import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdWalletProvider } from '../../../entities/openid/wallets.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { certificateOfPem } from '../../../protocol/mobile-credentials/certificates.read.ts'
import {
  type Attested,
  checkProvider,
  type TrustedProvider,
  type WalletProviderInput,
} from '../../../protocol/openid/oid4vci/attestations/providers.ts'
import type { WalletJwk } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { publicKeys } from '../../../protocol/openid/oid4vci/authorization/wallets.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'

export interface WalletProviderRecord {
  id: string
  name: string
  issuer: string | null
  attests: Attested[]
  clientIds: string[]
  redirectUris: string[]
  certificates: string[]
  jwks: { keys: WalletJwk[] } | null
}

export interface WalletProviderChanges {
  name?: string | undefined
  /** null: it names no issuer. */
  issuer?: string | null
  attests?: readonly Attested[] | undefined
  clientIds?: readonly string[] | undefined
  redirectUris?: readonly string[] | undefined
  certificates?: readonly string[] | undefined
  /** null: only its certificates count. */
  jwks?: WalletProviderInput['jwks'] | null
}

export const MAX_PROVIDERS = 100

const attestedBy = ({ attestsWallets, attestsKeys }: OpenIdWalletProvider): Attested[] => [
  ...(attestsWallets ? (['wallets'] as const) : []),
  ...(attestsKeys ? (['keys'] as const) : []),
]

const toRecord = (row: OpenIdWalletProvider): WalletProviderRecord => ({
  id: row.id,
  name: row.name,
  issuer: row.issuer ?? null,
  attests: attestedBy(row),
  clientIds: row.clientIds,
  redirectUris: row.redirectUris,
  certificates: row.certificates,
  jwks: row.jwks ?? null,
})

const columnsOf = ({ name, issuer, attests, clientIds, redirectUris, certificates, jwks }: WalletProviderInput) => ({
  name,
  issuer: issuer ?? null,
  attestsWallets: attests.includes('wallets'),
  attestsKeys: attests.includes('keys'),
  clientIds: [...clientIds],
  redirectUris: [...redirectUris],
  certificates: [...certificates],
  jwks: jwks ? publicKeys(jwks) : null,
})

const notFound = () => new Refusal('openid_wallet_provider.not_found', 'The tenant has no such wallet provider.')

const WHERE = { wallets: { attestsWallets: true }, keys: { attestsKeys: true } } as const

/** The providers that the tenant has registered for this. */
export async function registeredIn(em: SqlEntityManager, attested: Attested): Promise<TrustedProvider[]> {
  const rows = await em.find(OpenIdWalletProvider, WHERE[attested], { orderBy: { createdAt: 'asc', id: 'asc' } })
  return rows.map(({ id, issuer, clientIds, redirectUris, certificates, jwks }) => ({
    id,
    clientIds,
    redirectUris,
    issuer: issuer ?? undefined,
    certificates: certificates.flatMap((pem) => certificateOfPem(pem) ?? []),
    keys: jwks?.keys ?? [],
  }))
}

/** Whether it has registered one. */
export const isAnyRegistered = async (em: SqlEntityManager, attested: Attested): Promise<boolean> =>
  (await em.count(OpenIdWalletProvider, WHERE[attested])) > 0

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** Makers of wallets whose attestations the tenant trusts: list, create, read, update, delete. */
export const createWalletProviders = ({ database, now, uuid, operations }: Parts) => ({
  /** Newest first. */
  listProviders: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(OpenIdWalletProvider, {}, { orderBy, limit, offset })
      return { providers: rows.map(toRecord), total }
    }),

  /** Throws `openid_wallet_provider.not_found`. */
  readProvider: (tenantId: string, id: string): Promise<WalletProviderRecord> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(OpenIdWalletProvider, { id })
      if (!row) throw notFound()
      return toRecord(row)
    }),

  /** Throws `openid_wallet_provider.invalid`, `openid_wallet_provider.too_many`. */
  createProvider(call: Call, input: WalletProviderInput): Promise<WalletProviderRecord> {
    const { tenantId } = call
    const id = uuid()
    checkProvider(input)
    return operations.change(call, 'createOpenIdWalletProvider', { id }, async (em) => {
      await takeTurn(em, `openid wallet providers of ${tenantId}`)
      if ((await em.count(OpenIdWalletProvider)) >= MAX_PROVIDERS)
        throw new Refusal(
          'openid_wallet_provider.too_many',
          `A tenant can trust ${MAX_PROVIDERS} wallet providers. Delete one first.`,
        )
      const at = now()
      const row = em.create(OpenIdWalletProvider, {
        ...{ id, tenantId, createdAt: at, updatedAt: at },
        ...columnsOf(input),
      })
      await em.flush()
      return toRecord(row)
    })
  },

  /** Changes the members that are given. Throws `openid_wallet_provider.invalid`, `openid_wallet_provider.not_found`. */
  updateProvider(call: Call, id: string, changes: WalletProviderChanges): Promise<WalletProviderRecord> {
    return operations.change(call, 'updateOpenIdWalletProvider', { id }, async (em) => {
      const row = await em.findOne(OpenIdWalletProvider, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) throw notFound()
      const { issuer, jwks } = changes
      const input: WalletProviderInput = {
        name: changes.name ?? row.name,
        issuer: (issuer === undefined ? row.issuer : issuer) ?? undefined,
        attests: changes.attests ?? attestedBy(row),
        clientIds: changes.clientIds ?? row.clientIds,
        redirectUris: changes.redirectUris ?? row.redirectUris,
        certificates: changes.certificates ?? row.certificates,
        jwks: (jwks === undefined ? row.jwks : jwks) ?? undefined,
      }
      checkProvider(input)
      Object.assign(row, { ...columnsOf(input), updatedAt: now() })
      await em.flush()
      return toRecord(row)
    })
  },

  /** Nothing that it attests counts from now on. Throws `openid_wallet_provider.not_found`. */
  async deleteProvider(call: Call, id: string): Promise<void> {
    await operations.change(call, 'deleteOpenIdWalletProvider', { id }, async (em) => {
      if ((await em.nativeDelete(OpenIdWalletProvider, { id })) === 0) throw notFound()
    })
  },
})

export type WalletProviders = ReturnType<typeof createWalletProviders>
