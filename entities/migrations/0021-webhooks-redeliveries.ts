import { Migration } from '@mikro-orm/migrations'

/** For the limit of redeliveries that wait, which each request counts. */
const WAITING = `create index webhook_deliveries_again on webhook_deliveries (tenant_id) where state = 'PENDING' and round > 0;`

export class WebhooksRedeliveries extends Migration {
  override name = '0021-webhooks-redeliveries'

  override up() {
    this.addSql(WAITING)
  }
}
