import { Migration } from '@mikro-orm/migrations'

/** Lists of wallet providers. */
const ATTESTS = `alter table trust_lists add attests text[] not null default '{}';`

export class TrustListAttests extends Migration {
  override name = '0088-trust-lists-attests'

  override up() {
    this.addSql(ATTESTS)
  }
}
