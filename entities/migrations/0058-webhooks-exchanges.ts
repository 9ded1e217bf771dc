import { Migration } from '@mikro-orm/migrations'

/** A column of its own: lists of deliveries do not read it. */
export class WebhooksExchanges extends Migration {
  override name = '0058-webhooks-exchanges'

  override up() {
    this.addSql(`alter table webhook_deliveries add column exchanges json default '{}';`)
  }
}
