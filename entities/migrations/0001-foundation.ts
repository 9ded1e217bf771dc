import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** `require_*`: whether a presentation must answer an expected challenge, and an expected domain. */
const ADMINISTRATION = `
create table environments (
  id uuid primary key, name text not null, domain text not null, authorization_server_domain text not null,
  deployment_model text not null check (deployment_model in ('public', 'private')), region json not null,
  created_at timestamptz not null default now());
create table tenants (
  id uuid primary key, environment_id uuid not null references environments, name text not null,
  subdomain text not null unique, is_first boolean not null default false,
  fetch_unknown_contexts boolean not null default true, vc_api boolean not null default false,
  require_challenge boolean not null default false, require_domain boolean not null default false,
  created_at timestamptz not null default now());
create unique index tenants_first on tenants (is_first) where is_first;
create table oauth2_clients (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, description text not null,
  secret_hash bytea not null, scopes text[] not null, created_at timestamptz not null default now());
create index oauth2_clients_tenant on oauth2_clients (tenant_id, created_at);
create table domains (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, domain text not null,
  verification_token text not null, is_verified boolean not null default false, verified_at timestamptz,
  created_at timestamptz not null default now());
create unique index domains_verified on domains (domain) where is_verified;`

/**
 * The relay takes rows of each tenant in turn: by outbox_turns it finds the next tenant, and that tenant's next rows.
 */
const FRAME = `
create table outbox (
  id uuid primary key, tenant_id uuid not null, area text not null, object_id text not null, workflow_type text not null,
  workflow_id text not null unique, summary text not null, payload bytea not null, attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(), last_error text, started_at timestamptz,
  created_at timestamptz not null default now());
create index outbox_waiting on outbox (next_attempt_at) where started_at is null;
create index outbox_turns on outbox (tenant_id, next_attempt_at) where started_at is null;
create table idempotency_keys (
  tenant_id uuid not null, key text not null, request_hash bytea not null, locked_until timestamptz, effect bytea,
  answer bytea, created_at timestamptz not null default now(), primary key (tenant_id, key));
create index idempotency_keys_age on idempotency_keys (created_at);
create table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint);`

/**
 * How far this database has come. `epoch` counts the restores: a status list gives out entries in its own epoch alone.
 * `mark` grows while the platform runs and is remembered outside of the database, under `id`, so that a copy from
 * before is told by its lower mark. `incarnation` names the database that the rows were written in: rows that were
 * restored from a dump stand in another one.
 */
const EPOCH = `
create table platform_epoch (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(), epoch integer not null default 1,
  mark integer not null default 0, marked_at timestamptz, incarnation text not null, restored_at timestamptz,
  keys_compared_at timestamptz, keys_without_row integer not null default 0, rows_without_key integer not null default 0);`

/**
 * Refused logins to the key store, so that all processes together stay below the number at which the store locks a role
 * out. `login` and `tried` are digests under the master key; a login that succeeds deletes its row.
 */
const LOGINS = `
create table key_store_logins (
  login text primary key, tried text[] not null default '{}', refusals integer not null default 0,
  reason text not null default '', next_at timestamptz not null default 'epoch',
  trying_until timestamptz not null default 'epoch');`

const OWNED = ['oauth2_clients', 'domains', 'outbox', 'idempotency_keys']

export class Foundation extends Migration {
  override name = '0001-foundation'

  override up() {
    this.addSql([ADMINISTRATION, FRAME, EPOCH, LOGINS].join('\n'))
    this.addSql([fence('tenants', 'id'), ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
