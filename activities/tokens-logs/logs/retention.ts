import type { Dependencies } from '../../dependencies.ts'
import { alongIndex, createFailures } from '../../frame/slices.ts'
import type { Heads } from './heads.ts'
import type { LogKeys } from './keys.ts'
import type { Walk } from './walk.ts'

/** Entries of one checkpoint: some seconds, and far from the time limit of a statement. */
const SLICE = 5_000

const TENANTS = 'select id, log_retention_days is not null as limited from tenants order by id'

/**
 * New entries that are neither chained nor wait for it: whatever wrote them knew no trigger, such as a program of an earlier
 * release between the migration and the functions.
 */
const ENQUEUE_MISSED = `with newest as materialized (
  select l.id, l.timestamp from logs l where l.tenant_id = $1 and l.timestamp > now() - interval '2 hours'
  order by l.timestamp desc, l.id limit 20000)
insert into log_pending (tenant_id, entry_id)
select $1, n.id from newest n
where not exists (select from log_chain c where c.entry_id = n.id)
  and not exists (select from log_pending p where p.entry_id = n.id)
order by n.timestamp, n.id`

/**
 * The last place of the slice behind $2 before the first that is young enough to stay. A place is as old as its chaining:
 * no entry is younger than that.
 */
const DUE = `with slice as (
    select position, chained_at from log_chain where tenant_id = $1 and position > $2 order by position limit ${SLICE}),
  kept as (
    select min(s.position) as position from slice s join tenants t on t.id = $1
    where s.chained_at >= $3::timestamptz - make_interval(days => t.log_retention_days))
select max(s.position) as position from slice s, kept where kept.position is null or s.position < kept.position`

/** The first place that is left below a checkpoint, where an earlier pass was stopped. */
const LEFT = 'select min(position) as position from log_chain where tenant_id = ? and position <= ?'

/** Behind one place and up to another. Entries first: the trigger that keeps them looks at their places. */
const REMOVE = [
  `delete from logs l using log_chain c
   where c.tenant_id = ? and c.position > ? and c.position <= ? and l.id = c.entry_id and l.tenant_id = c.tenant_id`,
  'delete from log_chain where tenant_id = ? and position > ? and position <= ?',
]
/** Those that a checkpoint takes the place of. */
const REMOVE_HEADS = `delete from log_seals where tenant_id = ? and kind = 'head' and position > ? and position <= ?`
const REMOVE_CHECKPOINTS = `delete from log_seals where tenant_id = ? and kind = 'checkpoint' and position < ?`

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'log'> {
  keys: LogKeys
  walk: Walk
  heads: Heads
}

export interface RemovedEntries {
  removed: number
  /** Tenants whose old entries have a fault: none of them is removed. */
  broken: number
}

/** Removes old entries of tenants that have a time of retention, and leaves a signed checkpoint in their place. */
export function createRetention({ database, systemSql, now, log, keys, walk, heads }: Parts) {
  const run = <Row extends object>(text: string, ...values: unknown[]) => alongIndex<Row>(database.system, text, values)

  /** The first statement to fail leaves the rest for the next time. */
  async function remove(tenantId: string, above: number, position: number): Promise<void> {
    for (const text of REMOVE) await run(text, tenantId, above, position)
  }

  async function removeSeals(tenantId: string, above: number, position: number): Promise<void> {
    await run(REMOVE_HEADS, tenantId, above, position)
    await run(REMOVE_CHECKPOINTS, tenantId, position)
  }

  /** Removes what stands below a checkpoint although a pass before wrote it: it was stopped in between. */
  async function removeLeft(tenantId: string, position: number): Promise<void> {
    const [left] = await run<{ position: string | null }>(LEFT, tenantId, position)
    for (let above = Number(left?.position ?? position + 1) - 1; above < position; above += SLICE)
      await remove(tenantId, above, Math.min(above + SLICE, position))
    await removeSeals(tenantId, 0, position)
  }

  async function removeOf(tenantId: string, keyId: string): Promise<{ removed: number; broken: boolean }> {
    for (let removed = 0; ; ) {
      const start = await walk.start(tenantId)
      const { from } = start
      // a lost key ends no retention: the checkpoint of another key takes the place of what it signed (D-1115)
      const fault = start.fault?.kind === 'key_lost' ? undefined : start.fault
      const { rows } = fault
        ? { rows: [] }
        : await systemSql.query<{ position: string | null }>({ text: DUE, values: [tenantId, from.position, now()] })
      if (!fault && from.position > 0 && removed === 0) await removeLeft(tenantId, from.position)
      const to = Number(rows[0]?.position ?? 0)
      if (!fault && to <= from.position) return { removed, broken: false }
      const walked = fault ? { fault } : await walk.walk(tenantId, { from, most: SLICE, to, lostIsRight: true })
      if (walked.fault || !('last' in walked)) {
        const { kind, position } = walked.fault ?? { kind: 'missing', position: to }
        log.error({ tenantId, kind, position }, 'the log of a tenant is not intact: nothing of it is removed')
        return { removed, broken: true }
      }
      await heads.seal(keyId, tenantId, 'checkpoint', walked.last)
      await remove(tenantId, from.position, walked.last.position)
      await removeSeals(tenantId, from.position, walked.last.position)
      removed += walked.last.position - from.position
    }
  }

  return {
    /**
     * Scheduled: removes entries that are older than their tenant keeps them. A tenant that fails holds up no other one; the
     * run fails at its end, and is tried again. Safe to repeat.
     */
    async removeOldLogEntries({ keyId: newKeyId }: { keyId: string }): Promise<RemovedEntries> {
      const total = { removed: 0, broken: 0 }
      const failures = createFailures((error, tenantId) =>
        log.error({ err: error, tenantId }, 'old entries of the log of a tenant were not removed'),
      )
      const { rows } = await systemSql.query<{ id: string; limited: boolean }>({ text: TENANTS, values: [] })
      for (const { id } of rows)
        await failures.attempt(id, () => systemSql.query({ text: ENQUEUE_MISSED, values: [id] }))
      const limited = rows.filter((row) => row.limited)
      const keyId = limited.length > 0 ? await keys.current(newKeyId) : ''
      for (const { id } of limited)
        await failures.attempt(id, async () => {
          const { removed, broken } = await removeOf(id, keyId)
          total.removed += removed
          if (broken) total.broken += 1
        })
      failures.end('old entries were not removed')
      return total
    },
  }
}
