import { Migration } from '@mikro-orm/migrations'

const SETTINGS = `
alter table tenants
  add column fetch_unknown_contexts boolean not null default true,
  add column vc_api boolean not null default false;`

export class TenantSettings extends Migration {
  override name = '0005-tenant-settings'

  override up() {
    this.addSql(SETTINGS)
  }
}
