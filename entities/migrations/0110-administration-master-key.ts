import { Migration } from '@mikro-orm/migrations'

/** Which master key the rows need: a preparation and a restore under another one are refused. */
const MASTER_KEY = 'alter table platform_epoch add column master_key_id text;'

export class AdministrationMasterKey extends Migration {
  override name = '0110-administration-master-key'

  override up() {
    this.addSql(MASTER_KEY)
  }
}
