import { Migration } from '@mikro-orm/migrations'

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
alter table semantic_credentials
  add column template_id uuid, add column template_version integer,
  add check ((template_id is null) = (template_version is null)),
  add foreign key (tenant_id, template_id, template_version)
    references semantic_template_versions (tenant_id, template_id, version);
create index semantic_credentials_template on semantic_credentials (tenant_id, template_id, created_at)
  where template_id is not null;`

/** As record_semantic_credential, for a credential that comes from a template: one transaction, one round trip. */
const RECORD = `
create function record_templated_credential(
  tenant uuid, credential_id uuid, issuer uuid, signed json, proof text, label text, type_names text[],
  issued timestamptz, expires timestamptz, list uuid, list_index integer,
  log_id uuid, request uuid, log_metadata json, idempotency text, idempotent_effect bytea,
  template uuid, version integer) returns text
language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('app.tenant', tenant::text, true);
  perform 1 from semantic_templates where id = template and deleted_at is null;
  if not found then return 'template_gone'; end if;
  outcome := record_semantic_credential(tenant, credential_id, issuer, signed, proof, label, type_names, issued, expires,
    list, list_index, log_id, request, log_metadata, idempotency, idempotent_effect);
  if outcome = 'recorded' then
    update semantic_credentials set template_id = template, template_version = version where id = credential_id;
  end if;
  return outcome;
end $$;`

const fence = (table: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`

export class CredentialTemplates extends Migration {
  override name = '0003-credential-templates'

  override up() {
    this.addSql([TEMPLATES, RECORD, fence('semantic_templates'), fence('semantic_template_versions')].join('\n'))
  }
}
