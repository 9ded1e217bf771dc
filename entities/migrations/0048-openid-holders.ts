import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** Which credentials a user was issued, so that the erasure of the user can set their status. */
const HOLDERS = `
create table credential_holders (
  tenant_id uuid not null references tenants, holder_id uuid not null, credential_id uuid not null references credentials,
  primary key (tenant_id, holder_id, credential_id));`

/** The changes of many may be suspensions, and may be of one holder's credentials. */
const REVOCATIONS = `
alter table credential_revocations add column purpose text not null default 'revocation'
  check (purpose in ('revocation', 'suspension'));
alter table credential_revocations drop constraint credential_revocations_scope_check;
alter table credential_revocations add constraint credential_revocations_scope_check
  check (scope in ('template', 'batch', 'issuer', 'holder'));
create index credential_revocations_holder on credential_revocations (tenant_id, request_id) where scope = 'holder';`

/** Whose claims a session or a login keeps. */
const CLAIMS = `
alter table openid_sessions add column user_id uuid;
alter table openid_wallet_logins add column user_id uuid;
create index openid_sessions_user on openid_sessions (tenant_id, user_id) where user_id is not null;
create index openid_wallet_logins_user on openid_wallet_logins (tenant_id, user_id) where user_id is not null;`

export class OpenIdHolders extends Migration {
  override name = '0048-openid-holders'

  override up() {
    this.addSql([HOLDERS, REVOCATIONS, CLAIMS, fence('credential_holders')].join('\n'))
  }
}
