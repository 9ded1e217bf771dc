import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const PROVIDERS = `
create table authentication_providers (
  id uuid primary key, tenant_id uuid not null references tenants, url text not null, client_id text not null,
  client_secret bytea, scope text[] not null, claims_to_persist text[] not null, forwarded_parameters text[] not null,
  static_parameters json not null, auth_method text not null, key_id uuid, public_key bytea,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (tenant_id, id),
  check ((key_id is null) = (public_key is null)));
create index authentication_providers_list on authentication_providers (tenant_id, created_at desc, id);`

/** A row is deleted by the callback that uses it, so that a state is used once. */
const AUTHORIZATIONS = `
create table openid_authorizations (
  id uuid primary key, tenant_id uuid not null, provider_id uuid not null, state_digest bytea not null,
  content bytea not null, expires_at timestamptz not null, created_at timestamptz not null default now(),
  unique (tenant_id, state_digest),
  foreign key (tenant_id, provider_id) references authentication_providers (tenant_id, id) on delete cascade);
create index openid_authorizations_age on openid_authorizations (expires_at);
create index openid_authorizations_provider on openid_authorizations (tenant_id, provider_id);`

/**
 * The digest of a claim is keyed by tenant and covers its path and value. The primary key finds users by claims: bytea
 * is compared by a leakproof operator, so that the planner uses the index behind row-level security.
 */
const USERS = `
create table openid_users (
  id uuid primary key, tenant_id uuid not null, provider_id uuid not null, subject_index bytea not null,
  content bytea not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, id), unique (tenant_id, provider_id, subject_index),
  foreign key (tenant_id, provider_id) references authentication_providers (tenant_id, id));
create index openid_users_list on openid_users (tenant_id, created_at desc, id);
create table openid_user_claims (
  tenant_id uuid not null, claim_index bytea not null, user_id uuid not null,
  primary key (tenant_id, claim_index, user_id),
  foreign key (tenant_id, user_id) references openid_users (tenant_id, id) on delete cascade);
create index openid_user_claims_user on openid_user_claims (tenant_id, user_id);`

const CONFIGURATIONS = `
create table openid_configurations (
  id uuid primary key, tenant_id uuid not null unique references tenants, url text not null, claims text[] not null,
  disabled boolean not null, session_timeout_seconds bigint not null, secret bytea not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());`

const OWNED = [
  'authentication_providers',
  'openid_authorizations',
  'openid_users',
  'openid_user_claims',
  'openid_configurations',
]

export class OpenId extends Migration {
  override name = '0023-openid'

  override up() {
    this.addSql([PROVIDERS, AUTHORIZATIONS, USERS, CONFIGURATIONS, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
