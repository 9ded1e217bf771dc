import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** What wallets may get anew without their holder. */
const REISSUANCES = `
create table openid_reissuances (
  id uuid primary key, tenant_id uuid not null references tenants, session_id uuid not null, user_id uuid,
  grant_type text not null check (grant_type in ('pre-authorized_code', 'authorization_code')),
  token_digest bytea not null, wallet_client_id text,
  bound_to text not null check (bound_to in ('instance', 'registration', 'dpop')), key_thumbprint text, scope text,
  granted_ids uuid[] not null, uses_identifiers boolean not null, content bytea, template_ids uuid[] not null default '{}',
  credential_ids uuid[] not null default '{}', uses integer not null default 0, used_at timestamptz,
  client_id text not null, ends_at timestamptz not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  check ((bound_to = 'registration') = (key_thumbprint is null)),
  check (cardinality(template_ids) = cardinality(credential_ids)));
create unique index openid_reissuances_token on openid_reissuances (tenant_id, token_digest);
create index openid_reissuances_list on openid_reissuances (tenant_id, created_at desc, id);
create index openid_reissuances_user on openid_reissuances (tenant_id, user_id) where user_id is not null;
create index openid_reissuances_credentials on openid_reissuances using gin (credential_ids);
create index openid_reissuances_end on openid_reissuances (ends_at);`

/** Sessions of before are of none. */
const SESSIONS = `
alter table openid_sessions add reissuance_id uuid;
create index openid_sessions_reissuance on openid_sessions (tenant_id, reissuance_id) where reissuance_id is not null;`

/** Tenants of before allow none, as no wallet got a refresh token. */
const POLICIES = `
alter table openid_wallet_policies add reissue_days integer not null default 0 check (reissue_days between 0 and 730);`

export class OpenIdReissuances extends Migration {
  override name = '0086-openid-reissuances'

  override up() {
    this.addSql([REISSUANCES, SESSIONS, POLICIES, fence('openid_reissuances')].join('\n'))
  }
}
