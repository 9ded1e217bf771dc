import type { Logger } from 'pino'
import type { Sql } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { NIL_UUID } from '../../protocol/uuid.ts'
import type { Outbox } from './outbox.ts'
import type { Temporal } from './temporal/index.ts'

/** Workflows started at the same time: few enough that a small server answers the last one within the deadline. */
const BATCH_SIZE = 16
/** Longer than the deadline of a start; shorter than 10 s, within which a crashed relay's rows must be taken over. */
const LEASE_SECONDS = 5
const POLL_MS = 200
const LONGEST_PAUSE_MS = 3_000
const LONGEST_ROW_WAIT_SECONDS = 600

interface Row {
  /** The last tenant that was checked, with or without a due row. */
  seenTenant: string
  id: string
  tenantId: string
  area: string
  objectId: string
  /** null in rows of an earlier release. */
  objectIds: string[] | null
  workflowType: string
  workflowId: string
  summary: string
  payload: Buffer
  attempts: number
}

/** Result when there is no row to take. */
interface Nothing {
  seenTenant: string
  id: null
}

/** Tenants checked for a batch: more than its size, because some have no due row. */
const TENANTS_SEEN = 4 * BATCH_SIZE
/**
 * Takes rows for the length of a lease, by the database's clock, which all relays share. Locked rows are another
 * relay's. Tenants have their turns, from the one after $2 on and round about: a row of each, then a second of each.
 * One jump along the index finds the next tenant, so that no tenant's rows are counted to find those of another.
 */
const CLAIM = `
  with recursive turn as (
    select $2::uuid as tenant_id, false as round, 0 as place
    union all
    select next.tenant_id, turn.round or next.round, turn.place + 1
    from turn cross join lateral (
      (select tenant_id, false as round from outbox
       where started_at is null and tenant_id > turn.tenant_id order by tenant_id limit 1)
      union all
      (select tenant_id, true from outbox where started_at is null and not turn.round order by tenant_id limit 1)
      order by round limit 1
    ) as next
    where turn.place < ${TENANTS_SEEN} and not ((turn.round or next.round) and next.tenant_id > $2)
  ), due as (
    select due.id, row_number() over (order by due.nth, turn.place) as place from turn cross join lateral (
      select id, row_number() over (order by next_attempt_at) as nth from (
        select id, next_attempt_at from outbox
        where tenant_id = turn.tenant_id and started_at is null and next_attempt_at <= now()
        order by next_attempt_at limit $1
      ) as of_tenant
    ) as due
    where turn.place > 0 order by place limit $1
  ), claimed as (
    select outbox.id, due.place from outbox join due using (id)
    where started_at is null and next_attempt_at <= now() for update of outbox skip locked
  ), taken as (
    update outbox set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
    from claimed where outbox.id = claimed.id
    returning outbox.id, tenant_id as "tenantId", area, object_id as "objectId", object_ids as "objectIds", workflow_type as "workflowType",
      workflow_id as "workflowId", summary, payload, attempts, claimed.place
  )
  select taken.*, seen.tenant_id as "seenTenant"
  from (select tenant_id from turn order by place desc limit 1) as seen left join taken on true order by taken.place`

const MARK_STARTED =
  'update outbox set started_at = now(), last_error = null where id = any($1::uuid[]) and started_at is null'

const RETURN_ROW = `
  update outbox set next_attempt_at = now() + make_interval(secs => $2), last_error = $3, attempts = attempts - $4
  where id = $1 and started_at is null`

const describe = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error instanceof Error ? error.message : String(error)}${cause}`.slice(0, 500)
}

export interface RelayDependencies {
  /** The system role's pool, which sees every tenant's rows. */
  sql: Sql
  temporal: Pick<Temporal, 'startWorkflow'>
  outbox: Pick<Outbox, 'open'>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

interface Batch {
  taken: number
  started: number
  /** Temporal did not answer for at least one row. */
  away: boolean
}

/**
 * Starts the workflows of committed outbox rows. A crash between the start and the mark leads to a second start with
 * the same workflow id, which Temporal answers without starting anything. Any number of relays may run at once.
 */
export function createRelay({ sql, temporal, outbox, log }: RelayDependencies) {
  let stopped = false
  let pauseMs = 0
  let batchSize = BATCH_SIZE
  /** The tenant that had the last turn. */
  let lastTenant = NIL_UUID
  let wakeUp: () => void = () => undefined

  /** Returns `away` when the row only waits for Temporal; after `failed` it waits longer each time. */
  const startRow = async (row: Row): Promise<'started' | 'away' | 'failed'> => {
    const { payload: _sealed, id: _id, seenTenant: _seen, attempts, objectIds, ...subject } = row
    try {
      await temporal.startWorkflow({ ...subject, objectIds: objectIds ?? [], payload: outbox.open(row) })
      return 'started'
    } catch (error) {
      const away = error instanceof Unavailable
      const waitSeconds = away ? 0 : Math.min(LONGEST_ROW_WAIT_SECONDS, 2 ** Math.min(attempts, 10))
      if (!away)
        log.error(
          { outboxId: row.id, workflowId: row.workflowId, attempts, reason: describe(error) },
          'workflow not started',
        )
      // an outage of Temporal does not count as an attempt: a first failure must not wait for the longest time
      await sql.query({ text: RETURN_ROW, values: [row.id, waitSeconds, describe(error), away ? 1 : 0] })
      return away ? 'away' : 'failed'
    }
  }

  /** Takes one batch of rows, and starts their workflows. */
  const runOnce = async (): Promise<Batch> => {
    const values = [batchSize, lastTenant]
    const claimed = await sql.query<Row | Nothing>({ name: 'claim-outbox-rows', text: CLAIM, values })
    const rows = claimed.rows.filter((row) => row.id !== null)
    lastTenant = rows.at(-1)?.tenantId ?? claimed.rows[0]?.seenTenant ?? lastTenant
    const results = await Promise.all(rows.map(async (row) => ({ id: row.id, result: await startRow(row) })))
    const started = results.filter(({ result }) => result === 'started').map(({ id }) => id)
    if (started.length > 0) await sql.query({ text: MARK_STARTED, values: [started] })
    return { taken: rows.length, started: started.length, away: results.some(({ result }) => result === 'away') }
  }

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const pauseLonger = (reason: string) => {
    if (pauseMs === 0) log.warn({ reason }, 'outbox relay waits')
    pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(500, pauseMs * 2))
  }

  /** While Temporal is unavailable, tries one row; when it is slow, no more than it answers in time. */
  const adapt = ({ started, away }: Batch) => {
    if (away && started === 0) {
      batchSize = 1
      pauseLonger('Temporal is away')
      return
    }
    if (pauseMs > 0) log.info('outbox relay continues')
    pauseMs = 0
    batchSize = away ? Math.max(1, Math.floor(started / 2)) : Math.min(BATCH_SIZE, batchSize * 2)
  }

  const loop = async () => {
    while (!stopped) {
      let more = false
      try {
        const batch = await runOnce()
        adapt(batch)
        more = batch.started > 0
      } catch (error) {
        pauseLonger(describe(error))
      }
      if (!more && !stopped) await sleep(pauseMs || POLL_MS)
    }
  }

  const running = { loop: undefined as Promise<void> | undefined }
  return {
    runOnce,
    start(): void {
      running.loop ??= loop()
    },
    /** Stops after the current batch. */
    async stop(): Promise<void> {
      stopped = true
      wakeUp()
      await running.loop
    },
  }
}
