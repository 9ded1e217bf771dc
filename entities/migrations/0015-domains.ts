import { Migration } from '@mikro-orm/migrations'

/**
 * What the workflow of a domain found, and when it looks again. `attempt` counts the verifications of a domain, each with
 * a workflow of its own. A domain is a tenant's once; domains_verified (0001) says whose it is.
 */
const DOMAINS = `
alter table domains
  add column attempt integer not null default 1, add column waiting_since timestamptz not null default now(),
  add column missing_since timestamptz, add column given_up_at timestamptz, add column look_code text,
  add column look_reason text, add column looked_at timestamptz, add column next_look_at timestamptz,
  add constraint domains_given_up check (given_up_at is null or not is_verified);
create unique index domains_once on domains (tenant_id, domain);
create index domains_list on domains (tenant_id, created_at desc, id);`

export class Domains extends Migration {
  override name = '0015-domains'

  override up() {
    this.addSql(DOMAINS)
  }
}
