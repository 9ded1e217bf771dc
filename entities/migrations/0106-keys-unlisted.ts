import { Migration } from '@mikro-orm/migrations'

/** Keys of the installation that exist, or may exist, and are in no list of its keys (activities/keys/rotating.ts). */
const UNLISTED = `
create table unlisted_keys (
  id uuid primary key, list text not null check (list in ('platform_keys', 'webhook_keys')),
  doomed boolean not null default false, created_at timestamptz not null default now());`

export class KeysUnlisted extends Migration {
  override name = '0106-keys-unlisted'

  override up() {
    this.addSql(UNLISTED)
  }
}
