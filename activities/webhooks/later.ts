import { raw, type SqlEntityManager } from '@mikro-orm/postgresql'
import type { WebhookDelivery } from '../../entities/webhooks.ts'
import { type DeliveryRecord, hasWebhook } from './records.ts'

/** A later delivery of the same event to the same webhook. */
const isLater = (alias: string) =>
  `n.event_id = ${alias}.event_id and n.webhook_id = ${alias}.webhook_id and n.round > ${alias}.round`

/** A condition: deliveries that were made again, or those that were not. */
export const madeAgain = (isWanted: boolean) => ({
  [raw((alias) => `${isWanted ? '' : 'not '}exists (select from webhook_deliveries n where ${isLater(alias)})`)]: [],
})

/** A condition: deliveries whose webhook is not deleted. */
export const ofWebhooks = () => ({ [raw(hasWebhook)]: [] })

interface Later {
  of: string
  id: string
  state: WebhookDelivery['state']
  endedAt: Date | string | null
}

const LATEST = `select distinct on (d.id) d.id as "of", n.id, n.state, n.ended_at as "endedAt"
  from webhook_deliveries d join webhook_deliveries n on ${isLater('d')}
  where d.id = any (array(select json_array_elements_text(?::json))::uuid[]) order by d.id, n.round desc`

/** The last delivery of the same event to the same webhook, by the ids of those that were made again. */
export async function readLatest(
  em: SqlEntityManager,
  rows: readonly WebhookDelivery[],
): Promise<Map<string, NonNullable<DeliveryRecord['redelivery']>>> {
  const found = await em.execute<Later[]>(LATEST, [JSON.stringify(rows.map(({ id }) => id))])
  return new Map(
    found.map(({ of, id, state, endedAt }) => [
      of,
      { id, state, endedAt: endedAt === null ? null : new Date(endedAt).toISOString() },
    ]),
  )
}
