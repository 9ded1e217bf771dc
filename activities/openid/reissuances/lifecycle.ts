import type { FilterQuery } from '@mikro-orm/core'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Reach } from '../sessions/reach.ts'
import { endOf, lifeIn, type ReissuanceLife } from './life.ts'
import { endReissuances, grantsOf, reissuanceNotFound } from './records.ts'

/** A grant in plain JSON, without personal data. */
export interface ReissuanceRecord {
  id: string
  sessionId: string
  userId: string | null
  walletClientId: string | null
  boundTo: OpenIdReissuance['boundTo']
  /** Each once. */
  templateIds: string[]
  credentialIds: string[]
  uses: number
  usedAt: string | null
  createdAt: string
  endsAt: string
}

export interface ReissuanceFilter {
  credentialId?: string | undefined
  userId?: string | undefined
  limit: number
  offset: number
}

const toRecord = (row: OpenIdReissuance, life: ReissuanceLife): ReissuanceRecord => ({
  id: row.id,
  sessionId: row.sessionId,
  userId: row.userId ?? null,
  walletClientId: row.walletClientId ?? null,
  boundTo: row.boundTo,
  templateIds: [...new Set(row.templateIds)],
  credentialIds: row.credentialIds,
  uses: row.uses,
  usedAt: row.usedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  endsAt: endOf(row, life).toISOString(),
})

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  operations: Operations
  wake: Reach['wake']
}

/** What wallets may get anew, for the issuer: list, read, end. */
export const createReissuances = ({ database, now, operations, wake }: Parts) => {
  /** What has given a credential and has not ended; of the others there is nothing to end. */
  const aliveIn = (at: Date, { since }: ReissuanceLife) => ({
    ...{ content: { $ne: null }, endsAt: { $gt: at }, createdAt: { $gt: since } },
  })

  return {
    /** Newest first. */
    listReissuances: (tenantId: string, { credentialId, userId, limit, offset }: ReissuanceFilter) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const at = now()
        const life = await lifeIn(em, at)
        const where: FilterQuery<OpenIdReissuance> = {
          ...aliveIn(at, life),
          ...(credentialId !== undefined && { id: { $in: await grantsOf(em, [credentialId]) } }),
          ...(userId !== undefined && { userId }),
        }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(OpenIdReissuance, where, { orderBy, limit, offset })
        return { reissuances: rows.map((row) => toRecord(row, life)), total }
      }),

    /** Throws `openid_reissuance.not_found`. */
    readReissuance: (tenantId: string, id: string): Promise<ReissuanceRecord> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const at = now()
        const life = await lifeIn(em, at)
        const row = await em.findOne(OpenIdReissuance, { id, ...aliveIn(at, life) })
        if (!row) throw reissuanceNotFound()
        return toRecord(row, life)
      }),

    /**
     * Ends a grant, and a session of it that is under way: its refresh token gives nothing any more. Credentials that were
     * issued stay. Throws `openid_reissuance.not_found`.
     */
    async endReissuance(call: Call, id: string): Promise<void> {
      const ended: string[] = []
      await operations.change(call, 'deleteOpenIdReissuance', { id }, async (em) => {
        if ((await em.count(OpenIdReissuance, { id })) === 0) throw reissuanceNotFound()
        ended.push(...(await endReissuances(em, { id }, now())))
      })
      for (const sessionId of ended) await wake(call.tenantId, sessionId)
    },
  }
}

export type Reissuances = ReturnType<typeof createReissuances>
