import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** A session of the authorization code grant: who logs holders in, whose login counts, and the key of the token. */
const SESSIONS = `
alter table openid_sessions add issuer_state_digest bytea, add provider_id uuid, add login_id uuid, add dpop_jkt text,
  add unique (tenant_id, issuer_state_digest),
  add foreign key (tenant_id, provider_id) references authentication_providers (tenant_id, id);`

/** A registered wallet; one without keys is a public client. */
const WALLETS = `
create table openid_wallets (
  id uuid primary key, tenant_id uuid not null references tenants, client_id text not null, name text not null,
  redirect_uris text[] not null, jwks json,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, client_id));
create index openid_wallets_list on openid_wallets (tenant_id, created_at desc, id);
create table openid_wallet_policies (
  id uuid primary key, tenant_id uuid not null unique references tenants, requires_par boolean not null,
  requires_dpop boolean not null, requires_client_authentication boolean not null,
  allows_wallet_initiated boolean not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());`

/** A request of a wallet for a code: pushed, at the provider, at the hook, answered by the hook, with its code. */
const LOGINS = `
create table openid_wallet_logins (
  id uuid primary key, tenant_id uuid not null, session_id uuid,
  state text not null check (state in ('PUSHED', 'LOGIN', 'HOOK', 'ANSWERED', 'CODE', 'USED')),
  request_digest bytea, code_digest bytea, content bytea not null, expires_at timestamptz not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, request_digest), unique (tenant_id, code_digest),
  foreign key (tenant_id, session_id) references openid_sessions (tenant_id, id) on delete cascade);
create index openid_wallet_logins_age on openid_wallet_logins (expires_at);
create index openid_wallet_logins_session on openid_wallet_logins (tenant_id, session_id);`

/** JWTs of wallets that were used: DPoP proofs and client assertions. */
const JTIS = `
create table openid_used_jtis (
  tenant_id uuid not null, jti_digest bytea not null, expires_at timestamptz not null,
  primary key (tenant_id, jti_digest));
create index openid_used_jtis_age on openid_used_jtis (expires_at);`

const OWNED = ['openid_wallets', 'openid_wallet_policies', 'openid_wallet_logins', 'openid_used_jtis']

export class OpenIdAuthorization extends Migration {
  override name = '0025-openid-authorization'

  override up() {
    this.addSql([SESSIONS, WALLETS, LOGINS, JTIS, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
