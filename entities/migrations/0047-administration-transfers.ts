import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** A file in chunks, each a member of gzip, encrypted. Chunks go with their export, and exports with their tenant. */
const EXPORTS = `
create table tenant_exports (
  id uuid primary key, tenant_id uuid not null references tenants, state text not null check (state in ('RUNNING', 'DONE', 'FAILED')),
  kind_at integer not null default 0, after_at text, after_id text, counts json not null, lines integer not null default 0,
  digest bytea, chunks integer not null default 0, size bigint not null default 0, failure_code text, failure_message text,
  request_id uuid not null, client_id text not null, created_at timestamptz not null, ended_at timestamptz,
  expires_at timestamptz not null, unique (tenant_id, id));
create unique index tenant_exports_one on tenant_exports (tenant_id) where state = 'RUNNING';
create index tenant_exports_age on tenant_exports (expires_at);
create table tenant_export_chunks (
  tenant_id uuid not null, export_id uuid not null, place integer not null, content bytea not null,
  primary key (export_id, place),
  foreign key (tenant_id, export_id) references tenant_exports (tenant_id, id) on delete cascade);
alter table tenant_export_chunks alter column content set storage external;
create index tenant_export_chunks_tenant on tenant_export_chunks (tenant_id);`

/**
 * An upload in segments of whole lines. One import of a file by a caller into a subdomain is under way or done; a failed one
 * may be tried again.
 */
const IMPORTS = `
create table tenant_imports (
  id uuid primary key,
  state text not null check (state in ('RECEIVING', 'CHECKING', 'WRITING', 'DONE', 'FAILED')),
  file_digest bytea, environment_id uuid not null, subdomain text not null, name text not null, organization_id uuid,
  subject_tenant_id uuid not null, first_client_id uuid not null, secret_hash bytea not null, header json,
  keeps_ids boolean not null default true, segments integer not null default 0, segment_at integer not null default 0,
  lines integer not null default 0, counts json not null default '{}', needs json not null default '[]',
  more_needs integer not null default 0, failure json, request_id uuid not null, client_id text not null,
  created_at timestamptz not null, ended_at timestamptz, expires_at timestamptz not null);
create unique index tenant_imports_once on tenant_imports (client_id, file_digest, subdomain)
  where state in ('CHECKING', 'WRITING', 'DONE');
create index tenant_imports_age on tenant_imports (expires_at);
create table tenant_import_segments (
  import_id uuid not null references tenant_imports on delete cascade, place integer not null, first_line integer not null,
  content bytea not null, primary key (import_id, place));
alter table tenant_import_segments alter column content set storage external;`

/** The secret of a claim source stays behind in a transfer; until it has one again, its calls fail. */
const SECRETS = `
alter table claim_sources drop constraint claim_sources_check,
  add constraint claim_sources_secret check (secret is null or auth is not null);`

export class AdministrationTransfers extends Migration {
  override name = '0047-administration-transfers'

  override up() {
    this.addSql([EXPORTS, IMPORTS, SECRETS, fence('tenant_exports'), fence('tenant_export_chunks')].join('\n'))
  }
}
