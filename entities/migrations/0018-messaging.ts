import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const INBOXES = `
create table inboxes (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null,
  created_at timestamptz not null default now(), unique (tenant_id, id));
create index inboxes_list on inboxes (tenant_id, created_at desc, id);`

/**
 * A DID is registered with one inbox of a tenant. With did_id it is a DID of the tenant, and its registration goes with
 * its row; readers see only those whose DID was not deleted. inbox_dids_by_did finds the inboxes of all tenants.
 */
const DIDS = `
create table inbox_dids (
  id uuid primary key, tenant_id uuid not null, inbox_id uuid not null, did text not null, did_id uuid,
  created_at timestamptz not null default now(), unique (tenant_id, did),
  foreign key (tenant_id, inbox_id) references inboxes (tenant_id, id) on delete cascade,
  foreign key (tenant_id, did_id) references dids (tenant_id, id) on delete cascade);
create index inbox_dids_list on inbox_dids (tenant_id, inbox_id, created_at desc, id);
create index inbox_dids_by_did on inbox_dids (did);
create index inbox_dids_own on inbox_dids (tenant_id, did_id) where did_id is not null;`

/** Digests of the JWTs that registered a DID, until they expire: each registers once. */
const PROOFS = `
create table inbox_did_proofs (
  tenant_id uuid not null references tenants, digest bytea not null, expires_at timestamptz not null,
  primary key (tenant_id, digest));
create index inbox_did_proofs_age on inbox_did_proofs (tenant_id, expires_at);`

/** The payload is encrypted; \`size\` is that of the text, in bytes. */
const MESSAGES = `
create table inbox_messages (
  id uuid primary key, tenant_id uuid not null, inbox_id uuid not null, payload bytea not null,
  size integer not null check (size between 0 and 262144), created_at timestamptz not null default now(),
  foreign key (tenant_id, inbox_id) references inboxes (tenant_id, id) on delete cascade);
alter table inbox_messages alter column payload set storage external;
create index inbox_messages_list on inbox_messages (tenant_id, inbox_id, created_at desc, id) include (size);`

const OWNED = ['inboxes', 'inbox_dids', 'inbox_did_proofs', 'inbox_messages']

export class Messaging extends Migration {
  override name = '0018-messaging'

  override up() {
    this.addSql([INBOXES, DIDS, PROOFS, MESSAGES, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
