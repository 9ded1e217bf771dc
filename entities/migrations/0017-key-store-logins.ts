import { Migration } from '@mikro-orm/migrations'

/**
 * Refused logins to the key store, so that all processes together stay below the number at which the store locks a role
 * out. `login` and `tried` are digests under the master key; a login that succeeds deletes its row.
 */
const LOGINS = `
create table key_store_logins (
  login text primary key,
  tried text[] not null default '{}',
  refusals integer not null default 0,
  reason text not null default '',
  next_at timestamptz not null default 'epoch',
  trying_until timestamptz not null default 'epoch'
);`

export class KeyStoreLogins extends Migration {
  override name = '0017-key-store-logins'

  override up() {
    this.addSql(LOGINS)
  }
}
