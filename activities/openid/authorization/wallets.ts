import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdWallet } from '../../../entities/openid/wallets.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { WalletJwk } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { checkWallet, publicKeys, type WalletInput } from '../../../protocol/openid/oid4vci/authorization/wallets.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'

export interface WalletRecord {
  id: string
  name: string
  clientId: string
  redirectUris: string[]
  jwks: { keys: WalletJwk[] } | null
}

/** A new wallet; without `clientId` its id is one. */
export type NewWallet = Omit<WalletInput, 'clientId'> & { clientId: string | undefined }

export interface WalletChanges {
  name?: string | undefined
  redirectUris?: readonly string[] | undefined
  /** null: the wallet does not authenticate any more. */
  jwks?: WalletInput['jwks'] | null
}

export const MAX_WALLETS = 500

const toRecord = ({ id, name, clientId, redirectUris, jwks }: OpenIdWallet): WalletRecord => ({
  id,
  name,
  clientId,
  redirectUris,
  jwks: jwks ?? null,
})

const notFound = () => new Refusal('openid_wallet.not_found', 'The tenant has registered no such wallet.')

/** The registered wallet of a client id. */
export const walletOf = (em: SqlEntityManager, clientId: string): Promise<OpenIdWallet | null> =>
  em.findOne(OpenIdWallet, { clientId })

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** Registered wallets: list, create, read, update, delete. */
export const createWallets = ({ database, now, uuid, operations }: Parts) => ({
  /** Newest first. */
  listWallets: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(OpenIdWallet, {}, { orderBy, limit, offset })
      return { wallets: rows.map(toRecord), total }
    }),

  /** Throws `openid_wallet.not_found`. */
  readWallet: (tenantId: string, id: string): Promise<WalletRecord> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(OpenIdWallet, { id })
      if (!row) throw notFound()
      return toRecord(row)
    }),

  /** Throws `openid_wallet.invalid`, `openid_wallet.exists`, `openid_wallet.too_many`. */
  createWallet(call: Call, input: NewWallet): Promise<WalletRecord> {
    const { tenantId } = call
    const id = uuid()
    const wallet = { ...input, clientId: input.clientId ?? id }
    checkWallet(wallet)
    return operations.change(call, 'createOpenIdWallet', { id }, async (em) => {
      await takeTurn(em, `openid wallets of ${tenantId}`)
      const { name, clientId, redirectUris, jwks } = wallet
      if (await walletOf(em, clientId))
        throw new Refusal('openid_wallet.exists', 'The tenant has a wallet with this clientId already.')
      if ((await em.count(OpenIdWallet)) >= MAX_WALLETS)
        throw new Refusal('openid_wallet.too_many', `A tenant can register ${MAX_WALLETS} wallets. Delete one first.`)
      const at = now()
      const row = em.create(OpenIdWallet, {
        ...{ id, tenantId, name, clientId, redirectUris: [...redirectUris] },
        jwks: jwks ? publicKeys(jwks) : null,
        createdAt: at,
        updatedAt: at,
      })
      await em.flush()
      return toRecord(row)
    })
  },

  /** Changes the members that are given. Throws `openid_wallet.invalid`, `openid_wallet.not_found`. */
  updateWallet(call: Call, id: string, { name, redirectUris, jwks }: WalletChanges): Promise<WalletRecord> {
    return operations.change(call, 'updateOpenIdWallet', { id }, async (em) => {
      const row = await em.findOne(OpenIdWallet, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) throw notFound()
      const { clientId } = row
      const wallet = { clientId, name: name ?? row.name, redirectUris: redirectUris ?? row.redirectUris }
      checkWallet({ ...wallet, jwks: jwks ?? undefined })
      Object.assign(row, {
        name: wallet.name,
        redirectUris: [...wallet.redirectUris],
        ...(jwks !== undefined && { jwks: jwks ? publicKeys(jwks) : null }),
        updatedAt: now(),
      })
      await em.flush()
      return toRecord(row)
    })
  },

  /** Throws `openid_wallet.not_found`. */
  async deleteWallet(call: Call, id: string): Promise<void> {
    await operations.change(call, 'deleteOpenIdWallet', { id }, async (em) => {
      if ((await em.nativeDelete(OpenIdWallet, { id })) === 0) throw notFound()
    })
  },
})

export type Wallets = ReturnType<typeof createWallets>
