import { Migration } from '@mikro-orm/migrations'

/** Lists that are read from elsewhere, and what came of it. */
const SOURCES = `
alter table trust_lists add source json, add facts json, add fetched_at timestamptz, add stale_at timestamptz,
  add stale_noted boolean not null default false, add due_at timestamptz, add failure json;
create index trust_lists_due on trust_lists (due_at) where due_at is not null;`

export class TrustListSources extends Migration {
  override name = '0081-trust-lists-sources'

  override up() {
    this.addSql(SOURCES)
  }
}
