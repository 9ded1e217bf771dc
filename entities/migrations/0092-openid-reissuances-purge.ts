import { Migration } from '@mikro-orm/migrations'

/** Grants that gave nothing yet: the hourly cleaning looks at these alone for sessions that have ended. */
const EMPTY = 'create index openid_reissuances_empty on openid_reissuances (id) where content is null;'

export class OpenIdReissuancesPurge extends Migration {
  override name = '0092-openid-reissuances-purge'

  override up() {
    this.addSql(EMPTY)
  }
}
