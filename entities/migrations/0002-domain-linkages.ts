import { Migration } from '@mikro-orm/migrations'

/**
 * Signed domain linkages, kept until they are renewed. They go with their DID. A host may change hands, so a hosted
 * document is found through the host's tenant, and uniqueness ends at the tenant (dids_live).
 */
const DOMAIN_LINKAGES = `
create table domain_linkages (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null, origin text not null, credential json not null,
  valid_until timestamptz not null, created_at timestamptz not null default now(),
  unique (tenant_id, did_id, origin),
  foreign key (tenant_id, did_id) references dids (tenant_id, id) on delete cascade);
alter table domain_linkages enable row level security;
alter table domain_linkages force row level security;
create policy tenant on domain_linkages using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
drop index dids_hosted;
create index dids_hosted on dids (tenant_id, path) where hosting = 'platform' and deleted_at is null;`

export class DomainLinkages extends Migration {
  override name = '0002-domain-linkages'

  override up() {
    this.addSql(DOMAIN_LINKAGES)
  }
}
