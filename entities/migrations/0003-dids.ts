import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * A host may change hands, so a hosted document is found through the host's tenant, and uniqueness ends at the tenant
 * (dids_live). dids_under_way finds rows that say "under way", of which there are few among many.
 */
const DIDS = `
create table dids (
  id uuid primary key, tenant_id uuid not null references tenants, did text not null,
  method text not null check (method in ('KEY', 'WEB')),
  registration_status text not null check (registration_status in ('PROCESSING', 'COMPLETED', 'FAILED')),
  failure_reason text, document json not null, hosting text not null check (hosting in ('platform', 'caller', 'none')),
  host text, path text, deleted_at timestamptz, created_at timestamptz not null default now(), unique (tenant_id, id));
create unique index dids_live on dids (tenant_id, did) where deleted_at is null;
create index dids_hosted on dids (tenant_id, path) where hosting = 'platform' and deleted_at is null;
create index dids_list on dids (tenant_id, created_at desc, id);
create index dids_under_way on dids (id) where registration_status = 'PROCESSING' or deleted_at is not null;`

const KEYS = `
create table keys (
  id uuid primary key, tenant_id uuid not null, did_id uuid,
  key_type text not null check (key_type in ('ed25519', 'p256', 'bls12381g2', 'x25519')),
  custody text check (custody in ('hardened', 'software')), public_key bytea, did_url text,
  created_at timestamptz not null default now(), foreign key (tenant_id, did_id) references dids (tenant_id, id));
create index keys_did on keys (tenant_id, did_id);
create index keys_unowned on keys (created_at) where did_id is null;
create table key_envelopes (
  key_id uuid primary key, tenant_id uuid not null, key_type text not null, public_key bytea not null,
  envelope bytea not null, created_at timestamptz not null default now());`

/** Signed domain linkages, kept until they are renewed. They go with their DID. */
const DOMAIN_LINKAGES = `
create table domain_linkages (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null, origin text not null, credential json not null,
  valid_until timestamptz not null, created_at timestamptz not null default now(),
  unique (tenant_id, did_id, origin),
  foreign key (tenant_id, did_id) references dids (tenant_id, id) on delete cascade);`

const OWNED = ['dids', 'keys', 'key_envelopes', 'domain_linkages']

export class Dids extends Migration {
  override name = '0003-dids'

  override up() {
    this.addSql([DIDS, KEYS, DOMAIN_LINKAGES, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
