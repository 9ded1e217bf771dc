import { Migration } from '@mikro-orm/migrations'

/**
 * Deliveries outlive their webhook, and nobody sees them: the purge deletes them in slices (activities/webhooks/purge.ts). Hundreds of
 * thousands of them were one statement of the request that deletes the webhook, which exceeded its time limit each time.
 */
const DELIVERIES = 'alter table webhook_deliveries drop constraint webhook_deliveries_tenant_id_webhook_id_fkey;'

export class WebhooksDeletion extends Migration {
  override name = '0105-webhooks-deletion'

  override up() {
    this.addSql(DELIVERIES)
  }
}
