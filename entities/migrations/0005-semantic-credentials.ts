import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const CONTEXTS = `
create table jsonld_contexts (
  id uuid primary key, tenant_id uuid not null references tenants, url text not null, sha256 text not null,
  document text not null, source text not null check (source in ('registered', 'fetched')),
  created_at timestamptz not null default now(), unique (tenant_id, url));`

/** The template's reference to its current version is checked at the commit: each of the two rows needs the other. */
const TEMPLATES = `
create table semantic_templates (
  id uuid primary key, tenant_id uuid not null references tenants, type text not null, version_id uuid not null,
  deleted_at timestamptz, created_at timestamptz not null default now(), unique (tenant_id, id));
create index semantic_templates_list on semantic_templates (tenant_id, created_at desc, id) where deleted_at is null;
create table semantic_template_versions (
  id uuid primary key, tenant_id uuid not null, template_id uuid not null, version integer not null check (version > 0),
  definition json not null, created_at timestamptz not null default now(),
  unique (tenant_id, id), unique (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references semantic_templates (tenant_id, id));
alter table semantic_templates add foreign key (tenant_id, version_id)
  references semantic_template_versions (tenant_id, id) deferrable initially deferred;
alter table credentials add foreign key (tenant_id, template_id, template_version)
  references semantic_template_versions (tenant_id, template_id, version);
alter table credential_batches add foreign key (tenant_id, template_id, template_version)
  references semantic_template_versions (tenant_id, template_id, version);`

/**
 * Finds a credential by the id that its caller gave it. Most have the id that they get here and stay out of the index, which
 * their text tells without being parsed; a digest keeps long ids inside PostgreSQL's limit on an index row.
 */
const GIVEN_IDS = `
create index credentials_given_id on credentials (tenant_id, md5(document ->> 'id'))
  where strpos(document::text, '"id":"urn:uuid:' || id::text || '"') = 0;`

/** A challenge names one request of its tenant for ever: rows stay, so that no challenge can be answered twice. */
const PRESENTATIONS = `
create table presentation_templates (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, domain text not null,
  query json not null, trusted_contexts json, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(), unique (tenant_id, id));
create index presentation_templates_list on presentation_templates (tenant_id, created_at desc, id);
create table presentation_requests (
  id uuid primary key, tenant_id uuid not null references tenants, template_id uuid, name text not null,
  domain text not null, query json not null, trusted_contexts json, challenge text not null, did text,
  callback_url text, signed text, expires_at timestamptz not null, used_at timestamptz,
  created_at timestamptz not null default now(), unique (tenant_id, challenge),
  foreign key (tenant_id, template_id) references presentation_templates (tenant_id, id)
    on delete set null (template_id));
create index presentation_requests_template on presentation_requests (tenant_id, template_id);`

const OWNED = [
  'jsonld_contexts',
  'semantic_templates',
  'semantic_template_versions',
  'presentation_templates',
  'presentation_requests',
]

export class SemanticCredentials extends Migration {
  override name = '0005-semantic-credentials'

  override up() {
    this.addSql([CONTEXTS, TEMPLATES, GIVEN_IDS, PRESENTATIONS, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
