import type { Sql } from '../../entities/orm.ts'
import { deleteInSlices } from '../frame/slices.ts'

/** Webhooks that are deleted and have deliveries, by one look into the index for each webhook. */
const DELETED = `with recursive known as (
    (select webhook_id from webhook_deliveries order by webhook_id limit 1)
    union all
    select (select d.webhook_id from webhook_deliveries d where d.webhook_id > known.webhook_id order by d.webhook_id limit 1)
    from known where known.webhook_id is not null
  )
  select webhook_id as id from known
  where webhook_id is not null and not exists (select from webhooks w where w.id = known.webhook_id)`

/**
 * Deletes deliveries of webhooks that are deleted, deliveries that ended long ago, and events that have none. An event is known by its id for as long: the same
 * one that comes later is another one.
 */
export async function purgeWebhooks(systemSql: Sql, days: number): Promise<{ deliveries: number; events: number }> {
  let deliveries = 0
  const { rows: deleted } = await systemSql.query<{ id: string }>({ text: DELETED, values: [] })
  for (const { id } of deleted)
    deliveries += await deleteInSlices(systemSql, 'webhook_deliveries', 'webhook_id = $1', [id])
  const old = 'ended_at < now() - make_interval(days => $1)'
  deliveries += await deleteInSlices(systemSql, 'webhook_deliveries', old, [days])
  const events = await deleteInSlices(
    systemSql,
    'webhook_events',
    `created_at < now() - make_interval(days => $1)
      and not exists (select from webhook_deliveries d where d.event_id = webhook_events.id)`,
    [days],
  )
  return { deliveries, events }
}
