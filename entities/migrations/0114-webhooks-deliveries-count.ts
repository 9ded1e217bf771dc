import { Migration } from '@mikro-orm/migrations'

/**
 * Retention looks for what has ended of one tenant; lists of deliveries are counted with the webhook of each. Without these
 * indexes PostgreSQL reads all rows of the tenant, each time. The functions of idempotency keys come with it, too.
 */
const INDEXES = `
create index openid_sessions_ended_of on openid_sessions (tenant_id, ended_at) where ended_at is not null;
create index webhook_deliveries_counted on webhook_deliveries (tenant_id, created_at desc, id) include (webhook_id);
drop index webhook_deliveries_list;`

export class WebhooksDeliveriesCount extends Migration {
  override name = '0114-webhooks-deliveries-count'

  override up() {
    this.addSql(INDEXES)
  }
}
