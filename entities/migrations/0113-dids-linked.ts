import { Migration } from '@mikro-orm/migrations'

/** Everybody may ask which DIDs are linked to a host: the newest of each method, and one of each host (D-1216). */
const INDEXES = `
create index dids_newest on dids (tenant_id, method, created_at desc, id)
  where registration_status = 'COMPLETED' and deleted_at is null;
create index dids_hosts on dids (tenant_id, host)
  where hosting = 'platform' and registration_status = 'COMPLETED' and deleted_at is null;`

export class DidsLinked extends Migration {
  override name = '0113-dids-linked'

  override up() {
    this.addSql(INDEXES)
  }
}
