import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** Wallets get mobile credentials from templates as well. */
const TEMPLATES = `
alter table semantic_templates drop constraint semantic_templates_format_check;
alter table semantic_templates add constraint semantic_templates_format_check
  check (format in ('semantic', 'compact', 'compact-semantic', 'mobile'));`

const SESSIONS = `
create table openid_sessions (
  id uuid primary key, tenant_id uuid not null references tenants,
  grant_type text not null check (grant_type in ('pre-authorized_code', 'authorization_code')),
  state text not null
    check (state in ('OFFERED', 'AUTHORIZED', 'ISSUED', 'COMPLETED', 'FAILED', 'EXPIRED', 'CANCELLED')),
  content bytea, code_digest bytea, code_expires_at timestamptz, code_used_at timestamptz, tx_code_digest bytea,
  tx_code_failures integer not null default 0, token_digest bytea, token_expires_at timestamptz, wallet_client_id text,
  uses_identifiers boolean not null default false, steps json not null, failure_code text, failure_message text,
  request_id uuid not null, client_id text not null, ends_at timestamptz not null, ended_at timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, id), unique (tenant_id, code_digest), unique (tenant_id, token_digest));
create index openid_sessions_list on openid_sessions (tenant_id, created_at desc, id);
create index openid_sessions_open on openid_sessions (id) where ended_at is null;
create index openid_sessions_ended on openid_sessions (ended_at) where ended_at is not null;`

const ISSUANCES = `
create table openid_issuances (
  id uuid primary key, tenant_id uuid not null, session_id uuid not null, place integer not null,
  template_id uuid not null, template_version integer, format text not null,
  state text not null check (state in ('OFFERED', 'PENDING', 'ISSUED', 'FAILED')), request bytea, request_digest bytea,
  request_id uuid, requested_at timestamptz, credential_ids uuid[], issued_at timestamptz, notification text,
  failure_code text, failure_message text, wallet_message text,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, session_id, place), unique (tenant_id, session_id, template_id),
  foreign key (tenant_id, session_id) references openid_sessions (tenant_id, id) on delete cascade,
  foreign key (tenant_id, template_id) references semantic_templates (tenant_id, id));
create index openid_issuances_template on openid_issuances (tenant_id, template_id);`

/** A nonce carries its own end and authentication; here are those that were used. */
const NONCES = `
create table openid_used_nonces (
  tenant_id uuid not null, nonce_digest bytea not null, issuance_id uuid not null, expires_at timestamptz not null,
  primary key (tenant_id, nonce_digest));
create index openid_used_nonces_age on openid_used_nonces (expires_at);`

export class OpenIdSessions extends Migration {
  override name = '0024-openid-sessions'

  override up() {
    const fences = ['openid_sessions', 'openid_issuances', 'openid_used_nonces'].map((table) => fence(table))
    this.addSql([TEMPLATES, SESSIONS, ISSUANCES, NONCES, ...fences].join('\n'))
  }
}
