import { Migration } from '@mikro-orm/migrations'

/** A challenge names one request of its tenant for ever: rows stay, so that no challenge can be answered twice. */
const PRESENTATIONS = `
create table presentation_templates (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, domain text not null,
  query json not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, id));
create index presentation_templates_list on presentation_templates (tenant_id, created_at desc, id);
create table presentation_requests (
  id uuid primary key, tenant_id uuid not null references tenants, template_id uuid, name text not null,
  domain text not null, query json not null, challenge text not null, did text, callback_url text, signed text,
  expires_at timestamptz not null, used_at timestamptz, created_at timestamptz not null default now(),
  unique (tenant_id, challenge),
  foreign key (tenant_id, template_id) references presentation_templates (tenant_id, id)
    on delete set null (template_id));
create index presentation_requests_template on presentation_requests (tenant_id, template_id);`

const fence = (table: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`

export class Presentations extends Migration {
  override name = '0004-presentations'

  override up() {
    this.addSql([PRESENTATIONS, fence('presentation_templates'), fence('presentation_requests')].join('\n'))
  }
}
