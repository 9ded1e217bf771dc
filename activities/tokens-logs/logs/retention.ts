import type { Dependencies } from '../../dependencies.ts'
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

/** Entries first: the trigger that keeps them looks at their places. */
const REMOVE_ENTRIES = `delete from logs l using log_chain c
where c.tenant_id = $1 and c.position <= $2 and l.id = c.entry_id and l.tenant_id = $1`
const REMOVE_PLACES = 'delete from log_chain where tenant_id = $1 and position <= $2'
const REMOVE_SEALS = `delete from log_seals where tenant_id = $1
  and (kind = 'head' and position <= $2 or kind = 'checkpoint' and position < $2)`

interface Parts extends Pick<Dependencies, 'systemSql' | 'now' | 'log'> {
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
export function createRetention({ systemSql, now, log, keys, walk, heads }: Parts) {
  /** Removes what stands before a checkpoint; a crash in between leaves the rest for the next time. */
  async function removeUpTo(tenantId: string, position: number): Promise<void> {
    for (const text of [REMOVE_ENTRIES, REMOVE_PLACES, REMOVE_SEALS])
      await systemSql.query({ text, values: [tenantId, position] })
  }

  async function removeOf(tenantId: string, keyId: string): Promise<{ removed: number; broken: boolean }> {
    for (let removed = 0; ; ) {
      const { from, fault } = await walk.start(tenantId)
      const { rows } = fault
        ? { rows: [] }
        : await systemSql.query<{ position: string | null }>({ text: DUE, values: [tenantId, from.position, now()] })
      if (!fault && from.position > 0) await removeUpTo(tenantId, from.position)
      const to = Number(rows[0]?.position ?? 0)
      if (!fault && to <= from.position) return { removed, broken: false }
      const walked = fault ? { fault } : await walk.walk(tenantId, { from, most: SLICE, to })
      if (walked.fault || !('last' in walked)) {
        const { kind, position } = walked.fault ?? { kind: 'missing', position: to }
        log.error({ tenantId, kind, position }, 'the log of a tenant is not intact: nothing of it is removed')
        return { removed, broken: true }
      }
      await heads.seal(keyId, tenantId, 'checkpoint', walked.last)
      await removeUpTo(tenantId, walked.last.position)
      removed += walked.last.position - from.position
    }
  }

  return {
    /** Scheduled: removes entries that are older than their tenant keeps them. Safe to repeat. */
    async removeOldLogEntries({ keyId: newKeyId }: { keyId: string }): Promise<RemovedEntries> {
      const total = { removed: 0, broken: 0 }
      const { rows } = await systemSql.query<{ id: string; limited: boolean }>({ text: TENANTS, values: [] })
      for (const { id } of rows) await systemSql.query({ text: ENQUEUE_MISSED, values: [id] })
      const limited = rows.filter((row) => row.limited)
      if (limited.length === 0) return total
      const keyId = await keys.current(newKeyId)
      for (const { id } of limited) {
        const { removed, broken } = await removeOf(id, keyId)
        total.removed += removed
        if (broken) total.broken += 1
      }
      return total
    },
  }
}
