import type { Logger } from 'pino'
import type { Sql } from '../../../entities/orm.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { KeyStore } from '../../keys/index.ts'
import { RENEWED_BEFORE_HOURS, type StatusPublisher } from './publish.ts'

/** Result of one call within a window. */
export interface PublishingSlice {
  signed: number
  failed: number
  /** End of the window, ISO 8601: no list is signed twice before it. */
  until: string
  /** Whether time of the window is left, so that another call may find further lists. */
  more: boolean
  /** Length of a window; absent in answers of an earlier release. */
  windowSeconds?: number
}

/** Lists that are read together; lists that become due in between wait for the next read. */
const PAGE = 200
/** Lists signed at the same time: their round trips to the database and to the key store overlap. */
const LANES = 4
/** A worker that stops, or an operator who cancels, waits this long at most. */
const SLICE_MS = 5_000
/** The rest of the window lets started lists end before the next run, which would otherwise be skipped. */
const PART_OF_WINDOW = 0.9
const LONGEST_PAUSE_SECONDS = 3_600

const BEGIN = `select to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as until,
  (extract(epoch from until - clock_timestamp()) * 1000)::float8 as "leftMs"
from (select coalesce($1::timestamptz, clock_timestamp() + make_interval(secs => $2)) as until) as round`

/**
 * The lists that are due, each tenant's longest waiting one first, then each tenant's second, and so on: a tenant with
 * thousands and a tenant with one wait alike for their first. A renewal counts as waiting from an hour after it became
 * possible, so that changes come first and renewals come in time. A list with a short life, whose signer's certificate ends,
 * is renewed in the second half of it. Lists of deleted issuers can never be signed again.
 */
const DUE = `select id, "tenantId" from (
  select l.id, l.tenant_id as "tenantId", waiting.since,
    row_number() over (partition by l.tenant_id order by waiting.since, l.id) as turn
  from status_lists l left join dids d on d.id = l.did_id and d.deleted_at is null
  left join mobile_iacas i on i.id = l.iaca_id and i.deleted_at is null
  cross join lateral (select greatest(l.publish_after,
    least(l.changed_since, l.valid_until - make_interval(hours => $1 - 1))) as since) as waiting
  where (d.id is not null or i.id is not null) and l.signed_at is not null and l.publish_after <= clock_timestamp()
    and (l.changed_since is not null or l.valid_until
      < $2::timestamptz + least(make_interval(hours => $1), (l.valid_until - l.signed_at) / 2))
) as due order by turn, since, id limit $3`

/** Retries in the next window; then after one window, three, seven and so on, up to an hour. */
const POSTPONE = `update status_lists set publish_failures = publish_failures + 1,
  publish_after = greatest($2::timestamptz, clock_timestamp()
    + make_interval(secs => least($4, $3 * (power(2, least(publish_failures, 20)) - 1))))
where id = $1`

interface DueList {
  id: string
  tenantId: string
}

interface Parts {
  /** The system role's pool, which sees every tenant's lists. */
  systemSql: Sql
  keys: Pick<KeyStore, 'ready'>
  config: { statusWindowSeconds: number }
  log: Pick<Logger, 'warn'>
  now(): Date
  statusPublisher: Pick<StatusPublisher, 'signList'>
  /** Called for every list that was attempted. */
  tried?(outcome: 'signed' | 'failed'): void
}

/** Activity of the workflow of a window, which calls it until no list is left. */
export function createStatusSweep(parts: Parts) {
  const { systemSql, keys, config, log, now, statusPublisher, tried = () => undefined } = parts
  const { statusWindowSeconds: windowSeconds } = config

  async function begin(until?: string): Promise<{ until: string; leftMs: number }> {
    const values = [until ?? null, windowSeconds * PART_OF_WINDOW]
    const { rows } = await systemSql.query<{ until: string; leftMs: number }>({ text: BEGIN, values })
    if (!rows[0]) throw new Error('the database returned no time')
    return rows[0]
  }

  async function due(): Promise<DueList[]> {
    const values = [RENEWED_BEFORE_HOURS, now(), PAGE]
    return (await systemSql.query<DueList>({ text: DUE, values })).rows
  }

  /** Throws when the fault is not the list's own: the key store or the database is unavailable. */
  async function attempt({ id, tenantId }: DueList, until: string): Promise<'signed' | 'failed'> {
    try {
      await statusPublisher.signList(tenantId, id, until)
      return 'signed'
    } catch (error) {
      if (error instanceof Unavailable && error.part === 'keys') await keys.ready()
      await systemSql.query({ text: POSTPONE, values: [id, until, windowSeconds, LONGEST_PAUSE_SECONDS] })
      log.warn({ err: error, listId: id, tenantId }, 'a status list was not signed')
      return 'failed'
    }
  }

  return {
    /**
     * Signs lists that changed or end soon, each once before `until`, for some seconds at most. The first call of a
     * window returns the `until` for the calls that follow. A list that cannot be signed waits longer each time, up to
     * an hour; while the key store is unavailable, throws `Unavailable('keys')` instead. Safe to retry: each list is
     * one statement.
     */
    async publishChangedLists(round?: { until: string }): Promise<PublishingSlice> {
      const { until, leftMs } = await begin(round?.until)
      const ends = now().getTime() + Math.min(SLICE_MS, leftMs)
      const counts = { signed: 0, failed: 0 }
      const seen = new Set<string>()
      const over = () => now().getTime() >= ends

      const work = async (lists: Iterator<DueList>) => {
        for (let next = lists.next(); !next.done && !over(); next = lists.next()) {
          const outcome = await attempt(next.value, until).catch((error: unknown) => {
            while (!lists.next().done); // no lane takes another list
            throw error
          })
          counts[outcome] += 1
          tried(outcome)
        }
      }

      while (!over()) {
        const lists = (await due()).filter(({ id }) => !seen.has(id))
        if (lists.length === 0) return { ...counts, until, more: false, windowSeconds }
        for (const { id } of lists) seen.add(id)
        const queue = lists.values()
        const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => work(queue)))
        for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
      }
      return { ...counts, until, more: leftMs > SLICE_MS, windowSeconds }
    },
  }
}

export type StatusSweep = ReturnType<typeof createStatusSweep>
