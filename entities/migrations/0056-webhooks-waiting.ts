import { Migration } from '@mikro-orm/migrations'

/** For the health of a tenant: its deliveries that wait, without those of others. */
const WAITING = `create index webhook_deliveries_waiting on webhook_deliveries (tenant_id) where state = 'PENDING';`

export class WebhooksWaiting extends Migration {
  override name = '0056-webhooks-waiting'

  override up() {
    this.addSql(WAITING)
  }
}
