import { Migration } from '@mikro-orm/migrations'

/**
 * Tenants: how far what was asked for with them is made, and since when they are being deleted. Clients: the former secret
 * of a client that got a new one, until it ends; a deleted client stays until its last token has ended.
 */
const COLUMNS = `
alter table environments add column updated_at timestamptz not null default now();
alter table tenants
  add column status text not null default 'ready' check (status in ('provisioning', 'ready', 'failed')),
  add column wanted json not null default '{}',
  add column status_code text,
  add column status_reason text,
  add column looked_at timestamptz,
  add column next_look_at timestamptz,
  add column updated_at timestamptz not null default now(),
  add column deleted_at timestamptz;
create index tenants_provisioning on tenants (id) where status = 'provisioning';
alter table oauth2_clients
  add column former_secret_hash bytea,
  add column former_secret_ends_at timestamptz,
  add column updated_at timestamptz not null default now(),
  add column deleted_at timestamptz,
  add check ((former_secret_hash is null) = (former_secret_ends_at is null));
create index oauth2_clients_deleted on oauth2_clients (deleted_at) where deleted_at is not null;`

/** One row for each tenant whose deletion was requested, which stays: it tells how far it is, and keeps the subdomain. */
const TOMBSTONES = `
create table deleted_tenants (
  id uuid primary key, subdomain text not null, name text not null, client_id text not null, request_id uuid not null,
  requested_at timestamptz not null, erased_at timestamptz, step text not null default 'refused',
  keys_destroyed integer not null default 0, rows_deleted bigint not null default 0, workflows_ended integer not null default 0,
  reason text, looked_at timestamptz, next_look_at timestamptz);
create index deleted_tenants_subdomain on deleted_tenants (subdomain, requested_at);`

/** The two tables refer to each other: a deletion begins with the templates, whose versions go with them. */
const VERSIONS = `
alter table semantic_template_versions drop constraint semantic_template_versions_tenant_id_template_id_fkey,
  add constraint semantic_template_versions_tenant_id_template_id_fkey
    foreign key (tenant_id, template_id) references semantic_templates (tenant_id, id) on delete cascade;`

export class AdministrationTenants extends Migration {
  override name = '0036-administration-tenants'

  override up() {
    this.addSql([COLUMNS, TOMBSTONES, VERSIONS].join('\n'))
  }
}
