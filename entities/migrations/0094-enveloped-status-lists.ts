import { Migration } from '@mikro-orm/migrations'

const SETTING = 'alter table tenants add enveloped_status_lists boolean not null default false;'

export class EnvelopedStatusLists extends Migration {
  override name = '0094-enveloped-status-lists'

  override up() {
    this.addSql(SETTING)
  }
}
