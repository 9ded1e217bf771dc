import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { PrivacyRetention } from '../../../entities/administration/privacy.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import {
  NOTHING_EXPIRED,
  RETENTION_KINDS,
  type RetentionCounts,
  type RetentionDays,
} from '../../../protocol/administration/privacy/retention.ts'
import type { Frame } from '../../frame/index.ts'
import type { Call } from '../../frame/operations.ts'

/** In plain JSON: it is also kept as the effect of an Idempotency-Key. */
export interface RetentionRecord extends RetentionDays {
  /** The last complete pass; null: none yet. */
  lastPass: { endedAt: string; erased: RetentionCounts } | null
}

/** What a tenant keeps that has said nothing. */
const EVERYTHING_KEPT: RetentionRecord = {
  inactiveUsersDays: null,
  expiredCredentialsDays: null,
  messagesDays: null,
  endedSessionsDays: null,
  finishedBatchesDays: null,
  lastPass: null,
}

function recordOf(row: PrivacyRetention | null): RetentionRecord {
  if (!row) return EVERYTHING_KEPT
  const { lookedAt, lastCounts } = row
  return {
    inactiveUsersDays: row.inactiveUsersDays ?? null,
    expiredCredentialsDays: row.expiredCredentialsDays ?? null,
    messagesDays: row.messagesDays ?? null,
    endedSessionsDays: row.endedSessionsDays ?? null,
    finishedBatchesDays: row.finishedBatchesDays ?? null,
    lastPass: lookedAt
      ? { endedAt: lookedAt.toISOString(), erased: { ...NOTHING_EXPIRED, ...(lastCounts ?? {}) } }
      : null,
  }
}

const find = (em: SqlEntityManager, lock = false) =>
  em.findOne(PrivacyRetention, {}, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})

/** How long a tenant keeps personal data. */
export const createRetentionSettings = ({ database, now, uuid, operations }: Frame) => ({
  readRetention: (tenantId: string): Promise<RetentionRecord> =>
    inTenant(database.tenants, tenantId, async (em) => recordOf(await find(em))),

  /** What is absent stays as it is. */
  updateRetention(call: Call, change: Partial<RetentionDays>): Promise<RetentionRecord> {
    const { tenantId } = call
    const changed = RETENTION_KINDS.flatMap((kind) => {
      const days = change[kind]
      return days === undefined ? [] : [[kind, days] as const]
    })
    const metadata = Object.fromEntries(changed)
    return operations.change(call, 'updatePrivacyRetention', metadata, async (em) => {
      await takeTurn(em, `retention of ${tenantId}`)
      const at = now()
      const known = await find(em, true)
      const made = { id: uuid(), tenantId, counts: { ...NOTHING_EXPIRED }, createdAt: at, updatedAt: at }
      const row = known ?? em.create(PrivacyRetention, made)
      Object.assign(row, metadata, { updatedAt: at })
      await em.flush()
      return recordOf(row)
    })
  },
})

export type RetentionSettings = ReturnType<typeof createRetentionSettings>
