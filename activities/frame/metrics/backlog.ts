import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../../entities/orm.ts'

interface Measured {
  /** Value of the gauge's label, where it has one. */
  label?: string
  value: number
}

interface Backlog {
  name: string
  help: string
  label?: string
  /** Rows of `Measured`. */
  text: string
}

/** The issuer of one of `lists` can still sign it. */
export const LIVING = `(exists (select from dids where dids.id = lists.did_id and dids.deleted_at is null)
             or exists (select from mobile_iacas where mobile_iacas.id = lists.iaca_id and mobile_iacas.deleted_at is null))`

/** docs/operations.md says of each what to do about it. */
const BACKLOGS: Backlog[] = [
  {
    name: 'countersign_outbox_waiting',
    help: 'Outbox rows whose workflow has not started',
    text: 'select count(*)::float8 as value from outbox where started_at is null',
  },
  {
    name: 'countersign_outbox_oldest_seconds',
    help: 'Age of the oldest outbox row whose workflow has not started',
    text: `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as value from outbox
           where started_at is null`,
  },
  {
    name: 'countersign_log_entries_waiting',
    help: 'Entries of the log that have no place in the chain of their tenant yet',
    text: 'select count(*)::float8 as value from log_pending',
  },
  {
    name: 'countersign_batches',
    help: 'Batches that have not ended, by state',
    label: 'state',
    text: `select state as label, count(batches.id)::float8 as value from unnest(array['RECEIVING', 'PROCESSING', 'PAUSED']) as state
           left join credential_batches batches using (state) group by state`,
  },
  {
    name: 'countersign_batch_stalled_seconds',
    help: 'Seconds since the last row was signed or refused, of the PROCESSING batch that has waited longest',
    text: `select coalesce(max(extract(epoch from now() - greatest(last_progress_at, resumed_at))), 0)::float8 as value
           from credential_batches where state = 'PROCESSING'`,
  },
  {
    name: 'countersign_status_lists_waiting',
    help: 'Status lists that changed after they were signed, without those of deleted issuers',
    text: `select count(*)::float8 as value from status_lists lists
           where ${LIVING} and lists.changed_since is not null`,
  },
  {
    name: 'countersign_status_lists_oldest_seconds',
    help: 'Age of the oldest change that no signed status list shows, without those of deleted issuers',
    text: `select coalesce(max(extract(epoch from now() - lists.changed_since)), 0)::float8 as value from status_lists lists
           where ${LIVING} and lists.changed_since is not null`,
  },
  {
    name: 'countersign_status_lists_failing',
    help: 'Status lists whose last signing failed, without those of deleted issuers',
    text: `select count(*)::float8 as value from status_lists lists
           where ${LIVING} and lists.publish_failures > 0`,
  },
  {
    name: 'countersign_erasures',
    help: 'Erasures of persons that have not ended',
    text: `select count(*)::float8 as value from erasures where state = 'ERASING'`,
  },
  {
    name: 'countersign_erasures_oldest_seconds',
    help: 'Age of the oldest erasure of a person that has not ended',
    text: `select coalesce(extract(epoch from now() - min(started_at)), 0)::float8 as value from erasures
           where state = 'ERASING'`,
  },
  {
    name: 'countersign_retention_oldest_seconds',
    help: 'Seconds since the last complete pass over the tenant that has waited longest for its retention',
    text: `select coalesce(max(extract(epoch from now() - coalesce(r.looked_at, r.created_at))), 0)::float8 as value
           from privacy_retentions r join tenants t on t.id = r.tenant_id
           where t.deleted_at is null and num_nonnulls(r.inactive_users_days, r.expired_credentials_days,
             r.messages_days, r.ended_sessions_days, r.finished_batches_days) > 0`,
  },
  {
    name: 'countersign_database_restored_timestamp_seconds',
    help: 'When the database was last seen to be restored, in seconds since 1970; 0: never',
    text: `select coalesce(extract(epoch from restored_at), 0)::float8 as value from platform_epoch`,
  },
  {
    name: 'countersign_keys_unmatched',
    help: 'Keys without a row (row) and rows without a key (key), at the last comparison after a restore',
    label: 'missing',
    text: `select label, value::float8 from platform_epoch, lateral (values ('row', keys_without_row), ('key', rows_without_key))
      as counted (label, value)`,
  },
]

/**
 * Gauges of waiting work, read at each scrape. `sql`: the system role's pool, which sees every tenant's rows. A gauge
 * that cannot be read is absent, the others stay: an operator needs them most while the database is unavailable.
 */
export function backlogMetrics(metrics: Registry, sql: Sql, log: Pick<Logger, 'warn'>): void {
  for (const { name, help, label, text } of BACKLOGS) {
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [metrics],
      async collect() {
        this.reset()
        try {
          const { rows } = await sql.query<Measured>({ text, values: [] })
          for (const row of rows) {
            if (label && row.label !== undefined) this.set({ [label]: row.label }, row.value)
            else this.set(row.value)
          }
        } catch (error) {
          if (!label) this.remove() // its value would be 0, which says that all is well
          log.warn({ err: error, metric: name }, 'a metric could not be read')
        }
      },
    })
  }
}
