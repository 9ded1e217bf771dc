import type { Sql } from '../../entities/orm.ts'
import { deleteInSlices } from '../frame/slices.ts'

/**
 * Deletes deliveries that ended long ago, and events that have none. An event is known by its id for as long: the same
 * one that comes later is another one.
 */
export async function purgeWebhooks(systemSql: Sql, days: number): Promise<{ deliveries: number; events: number }> {
  const deliveries = await deleteInSlices(
    systemSql,
    'webhook_deliveries',
    'ended_at < now() - make_interval(days => $1)',
    [days],
  )
  const events = await deleteInSlices(
    systemSql,
    'webhook_events',
    `created_at < now() - make_interval(days => $1)
      and not exists (select from webhook_deliveries d where d.event_id = webhook_events.id)`,
    [days],
  )
  return { deliveries, events }
}
