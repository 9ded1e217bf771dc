import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** Makers of wallets whose attestations count. */
const PROVIDERS = `
create table openid_wallet_providers (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, issuer text,
  attests_wallets boolean not null, attests_keys boolean not null, certificates text[] not null, jwks json,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index openid_wallet_providers_list on openid_wallet_providers (tenant_id, created_at desc, id);`

/** Policies of before require no attestation, and have batches as large as all had. */
const POLICIES = `
alter table openid_wallet_policies add requires_wallet_attestation boolean not null default false,
  add requires_key_attestation boolean not null default false, add key_storage text[] not null default '{}',
  add user_authentication text[] not null default '{}', add batch_size integer not null default 20,
  add profile text check (profile in ('haip'));`

export class OpenIdAttestations extends Migration {
  override name = '0066-openid-attestations'

  override up() {
    this.addSql([PROVIDERS, POLICIES, fence('openid_wallet_providers')].join('\n'))
  }
}
