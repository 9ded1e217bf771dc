import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const VERIFIERS = `
create table oidc_verifiers (
  id uuid primary key, tenant_id uuid not null references tenants, verifier_did text not null,
  presentation_template_id uuid not null, include_presentation boolean not null, claim_mappings json not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  foreign key (tenant_id, presentation_template_id) references presentation_templates (tenant_id, id));
create index oidc_verifiers_list on oidc_verifiers (tenant_id, created_at desc, id);
create index oidc_verifiers_template on oidc_verifiers (tenant_id, presentation_template_id);`

const CLIENTS = `
create table oidc_clients (
  id uuid primary key, tenant_id uuid not null, verifier_id uuid not null, name text not null,
  application_type text not null check (application_type in ('web', 'native')),
  redirect_uris text[] not null, grant_types text[] not null, response_types text[] not null,
  token_endpoint_auth_method text not null, id_token_signed_response_alg text not null, logo_uri text,
  secret_digest bytea, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, verifier_id, id),
  foreign key (tenant_id, verifier_id) references oidc_verifiers (tenant_id, id) on delete cascade);
create index oidc_clients_list on oidc_clients (tenant_id, verifier_id, created_at desc, id);
create table oidc_keys (
  id uuid primary key, tenant_id uuid not null, verifier_id uuid not null,
  key_type text not null check (key_type in ('p256', 'ed25519')), public_key bytea not null,
  created_at timestamptz not null default now(),
  foreign key (tenant_id, verifier_id) references oidc_verifiers (tenant_id, id) on delete cascade);
create index oidc_keys_list on oidc_keys (tenant_id, verifier_id, created_at desc);`

const SIGN_INS = `
create table oidc_sign_ins (
  id uuid primary key, tenant_id uuid not null, verifier_id uuid not null, client_id uuid not null,
  interaction_digest bytea not null, other_device_digest bytea not null, same_device_digest bytea not null,
  state text not null check (state in ('WAITING', 'PRESENTED', 'REFUSED')),
  answered_by text check (answered_by in ('other', 'same')), failures integer not null default 0, failure_code text,
  content bytea not null, request_id uuid not null, expires_at timestamptz not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, interaction_digest), unique (tenant_id, other_device_digest), unique (tenant_id, same_device_digest),
  foreign key (tenant_id, verifier_id, client_id) references oidc_clients (tenant_id, verifier_id, id) on delete cascade);
create index oidc_sign_ins_client on oidc_sign_ins (tenant_id, verifier_id, client_id);
create index oidc_sign_ins_age on oidc_sign_ins (expires_at);`

/** What the provider keeps: sessions, codes, grants and tokens, by digests of their names. */
const PAYLOADS = `
create table oidc_payloads (
  tenant_id uuid not null, verifier_id uuid not null, kind text not null, name_digest bytea not null,
  content bytea not null, grant_digest bytea, uid_digest bytea, consumed_at timestamptz, expires_at timestamptz not null,
  primary key (tenant_id, verifier_id, kind, name_digest),
  foreign key (tenant_id, verifier_id) references oidc_verifiers (tenant_id, id) on delete cascade);
create index oidc_payloads_grant on oidc_payloads (tenant_id, verifier_id, grant_digest) where grant_digest is not null;
create index oidc_payloads_uid on oidc_payloads (tenant_id, verifier_id, uid_digest) where uid_digest is not null;
create index oidc_payloads_age on oidc_payloads (expires_at);`

const TABLES = ['oidc_verifiers', 'oidc_clients', 'oidc_keys', 'oidc_sign_ins', 'oidc_payloads']

export class OpenIdVerifiers extends Migration {
  override name = '0026-openid-verifiers'

  override up() {
    const fences = TABLES.map((table) => fence(table))
    this.addSql([VERIFIERS, CLIENTS, SIGN_INS, PAYLOADS, ...fences].join('\n'))
  }
}
