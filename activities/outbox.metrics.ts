import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../entities/orm.ts'

const GAUGES = [
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
]

/** How far Temporal is behind the database, read when scraped. `sql` is the system role's: it sees every tenant's rows. */
export function outboxMetrics(metrics: Registry, sql: Sql): void {
  for (const { name, help, text } of GAUGES) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      async collect() {
        const { rows } = await sql.query<{ value: number }>({ text, values: [] })
        this.set(rows[0]?.value ?? 0)
      },
    })
  }
}
