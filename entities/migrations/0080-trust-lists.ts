import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** Issuers that tenants trust. */
const LISTS = `
create table trust_lists (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, formats text[] not null,
  enforced boolean not null, entries json not null, revision integer not null default 1,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index trust_lists_list on trust_lists (tenant_id, created_at desc, id);`

export class TrustLists extends Migration {
  override name = '0080-trust-lists'

  override up() {
    this.addSql([LISTS, fence('trust_lists')].join('\n'))
  }
}
