import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { PrivacyRetention } from '../../../entities/administration/privacy.ts'
import { inTenant } from '../../../entities/orm.ts'
import { RETENTION_ENTRY } from '../../../protocol/administration/entries.ts'
import {
  NOTHING_EXPIRED,
  RETENTION_KINDS,
  type RetentionCounts,
  type RetentionCursor,
  type RetentionKind,
} from '../../../protocol/administration/privacy/retention.ts'
import { DAY_MS } from '../../../protocol/time.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import { forgetHolder } from '../../credentials/holders.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import { createReach } from '../../openid/sessions/reach.ts'
import { eraseUser } from '../../openid/users/erase.ts'
import { eraseWithAnswers } from './credentials.ts'

/** Rows of one transaction. */
const AT_ONCE = 500
/** Each user has rows of other tables too. */
const USERS_AT_ONCE = 100
const TENANTS_AT_ONCE = 100
/** Time that one call works, so that its workflow can show progress and take turns with other work. */
const SLICE_MS = 5_000

const DUE = `select r.tenant_id as id from privacy_retentions r join tenants t on t.id = r.tenant_id
  where t.deleted_at is null and r.tenant_id > $1
    and num_nonnulls(r.inactive_users_days, r.expired_credentials_days, r.messages_days, r.ended_sessions_days,
      r.finished_batches_days) > 0
  order by r.tenant_id limit ${TENANTS_AT_ONCE}`

/** Whoever is at work with a wallet is no inactive user. */
const USERS = `select u.id from openid_users u where u.tenant_id = ? and u.updated_at < ?
    and not exists (select from openid_sessions s where s.tenant_id = u.tenant_id and s.user_id = u.id and s.ended_at is null)
    and not exists (select from openid_wallet_logins l where l.tenant_id = u.tenant_id and l.user_id = u.id)
  order by u.updated_at limit ${USERS_AT_ONCE} for update of u skip locked`

const EXPIRED = `select id from credentials where tenant_id = ? and expiration_date is not null and expiration_date < ?
  and erased_at is null order by expiration_date limit ${AT_ONCE}`

const deleted = (table: string, condition: string) => `with gone as (
    delete from ${table} where tenant_id = ? and ctid = any (array(
      select ctid from ${table} where tenant_id = ? and ${condition} limit ${AT_ONCE})) returning 1)
  select count(*)::int as count from gone`

const MESSAGES = deleted('inbox_messages', 'created_at < ?')
const NOTIFICATIONS = deleted('credential_notifications', 'ended_at is not null and ended_at < ?')
const SESSIONS = deleted('openid_sessions', 'ended_at is not null and ended_at < ?')

/** A cancelled batch has ended when the work on its rows has. */
const BATCH = `select id from credential_batches where tenant_id = ? and ended_at is not null and ended_at < ?
  and content_erased_at is null and state in ('COMPLETED', 'CANCELLED') order by ended_at limit 1 for update`
const OF_BATCH = `select id from credentials where tenant_id = ? and batch_id = ? and erased_at is null limit ${AT_ONCE}`
/** Of a row that was refused, the errors have names that the uploader chose. */
const REASONS = `with gone as (
    update credential_batch_rows set errors = '[]' where batch_id = ? and row_number = any (array(
      select row_number from credential_batch_rows where batch_id = ? and state = 'failed' and errors::text <> '[]'
      order by row_number limit ${AT_ONCE})) returning 1)
  select count(*)::int as count from gone`
const ERASED = 'update credential_batches set content_erased_at = clock_timestamp() where id = ?'

type Counts = Partial<RetentionCounts>

interface Pass {
  /** What is older is due. */
  before: Date
  at: Date
  /** Sessions that were under way, and have ended. */
  ended: string[]
}

/** Erases the next rows of a kind that are older than a time; undefined where there are none. Safe to repeat. */
type Eraser = (em: SqlEntityManager, tenantId: string, pass: Pass) => Promise<Counts | undefined>

const countOf = async (em: SqlEntityManager, text: string, values: unknown[]): Promise<number> =>
  (await em.execute<{ count: number }[]>(text, values))[0]?.count ?? 0

const idsOf = async (em: SqlEntityManager, text: string, values: unknown[]): Promise<string[]> =>
  (await em.execute<{ id: string }[]>(text, values)).map(({ id }) => id)

const some = (name: keyof RetentionCounts, count: number): Counts | undefined =>
  count > 0 ? { [name]: count } : undefined

async function eraseCredentials(
  em: SqlEntityManager,
  tenantId: string,
  { at, ended }: Pass,
  ids: string[],
): Promise<Counts> {
  const { credentials, notifications, sessionIds } = await eraseWithAnswers(em, { tenantId, at }, ids)
  ended.push(...sessionIds)
  return { credentials, messages: notifications }
}

const ERASERS: Readonly<Record<RetentionKind, Eraser>> = {
  async inactiveUsersDays(em, tenantId, { before, at, ended }) {
    const ids = await idsOf(em, USERS, [tenantId, before])
    for (const id of ids) {
      ended.push(...((await eraseUser(em, id, at))?.sessionIds ?? []))
      await forgetHolder(em, { tenantId, holderId: id })
    }
    return some('users', ids.length)
  },

  async expiredCredentialsDays(em, tenantId, pass) {
    const ids = await idsOf(em, EXPIRED, [tenantId, pass.before])
    return ids.length === 0 ? undefined : eraseCredentials(em, tenantId, pass, ids)
  },

  async messagesDays(em, tenantId, { before }) {
    const values = [tenantId, tenantId, before]
    return some('messages', (await countOf(em, MESSAGES, values)) + (await countOf(em, NOTIFICATIONS, values)))
  },

  async endedSessionsDays(em, tenantId, { before }) {
    return some('sessions', await countOf(em, SESSIONS, [tenantId, tenantId, before]))
  },

  async finishedBatchesDays(em, tenantId, pass) {
    const [batchId] = await idsOf(em, BATCH, [tenantId, pass.before])
    if (batchId === undefined) return undefined
    const ids = await idsOf(em, OF_BATCH, [tenantId, batchId])
    if (ids.length > 0) return eraseCredentials(em, tenantId, pass, ids)
    if ((await countOf(em, REASONS, [batchId, batchId])) > 0) return {}
    await em.execute(ERASED, [batchId])
    return { batches: 1 }
  },
}

function add(counts: RetentionCounts, more: Counts): RetentionCounts {
  const sum = { ...counts }
  for (const name of Object.keys(NOTHING_EXPIRED) as (keyof RetentionCounts)[]) sum[name] += more[name] ?? 0
  return sum
}

/** Activities of the scheduled workflow `eraseExpired`. */
export function createExpiry({
  database,
  systemSql,
  now,
  uuid,
  ...known
}: Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'uuid' | 'temporal' | 'log'>) {
  const { wake } = createReach(known)

  /** Ends the pass, with one entry in the log where it erased something. */
  function end(em: SqlEntityManager, row: PrivacyRetention): void {
    const { id, tenantId, counts } = row
    Object.assign(row, { lookedAt: now(), lastCounts: counts, counts: { ...NOTHING_EXPIRED } })
    if (Object.values(counts).every((count) => count === 0)) return
    const entry = { tenantId, requestId: uuid(), ...RETENTION_ENTRY, outcome: 'SUCCESS' } as const
    addLogEntry(em, { now, uuid }, { ...entry, metadata: { id, ...counts } })
  }

  /** The next rows of the first kind that has some, in one transaction with their counts. */
  async function eraseNext(tenantId: string): Promise<'more' | 'done'> {
    const ended: string[] = []
    const outcome = await inTenant<'more' | 'done'>(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(PrivacyRetention, {}, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) return 'done'
      for (const kind of RETENTION_KINDS) {
        const days = row[kind]
        if (days === null || days === undefined) continue
        const at = now()
        const before = new Date(at.getTime() - days * DAY_MS)
        const erased = await ERASERS[kind](em, tenantId, { before, at, ended })
        if (!erased) continue
        row.counts = add({ ...NOTHING_EXPIRED, ...row.counts }, erased)
        await em.flush()
        return 'more'
      }
      end(em, row)
      await em.flush()
      return 'done'
    })
    for (const sessionId of ended) await wake(tenantId, sessionId)
    return outcome
  }

  return {
    /** The next tenants that do not keep everything, in the order of their ids. */
    async findRetentions({ after }: Partial<RetentionCursor>): Promise<{ tenantIds: string[]; more: boolean }> {
      const { rows } = await systemSql.query<{ id: string }>({ text: DUE, values: [after ?? NIL_UUID] })
      return { tenantIds: rows.map(({ id }) => id), more: rows.length === TENANTS_AT_ONCE }
    },

    /** Erases for some seconds what a tenant keeps no longer. Safe to retry: what was erased is not due again. */
    async eraseExpiredOf({ tenantId }: { tenantId: string }): Promise<{ done: boolean }> {
      const until = Date.now() + SLICE_MS
      for (;;) {
        if ((await eraseNext(tenantId)) === 'done') return { done: true }
        if (Date.now() >= until) return { done: false }
      }
    },
  }
}

export type Expiry = ReturnType<typeof createExpiry>
