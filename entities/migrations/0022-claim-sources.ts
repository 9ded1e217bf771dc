import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** `json` and not `jsonb`: parameters keep their order. */
const CLAIM_SOURCES = `
create table claim_sources (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, url text not null,
  request_method text not null default 'GET' check (request_method in ('GET', 'POST')),
  request_parameters json not null default '{}', auth json, secret bytea,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  check ((auth is null) = (secret is null)));
create index claim_sources_list on claim_sources (tenant_id, created_at desc, id);`

export class ClaimSources extends Migration {
  override name = '0022-claim-sources'

  override up() {
    this.addSql([CLAIM_SOURCES, fence('claim_sources')].join('\n'))
  }
}
