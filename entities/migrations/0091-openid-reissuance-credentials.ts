import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * All credentials that a grant has given, also those that newer ones replaced. It takes the place of the GIN index, which
 * PostgreSQL does not read below row-level security: the operators of arrays are not leakproof.
 */
const CREDENTIALS = `
alter table openid_reissuances add unique (tenant_id, id);
create table openid_reissuance_credentials (
  tenant_id uuid not null references tenants, credential_id uuid not null, reissuance_id uuid not null,
  primary key (tenant_id, credential_id, reissuance_id),
  foreign key (tenant_id, reissuance_id) references openid_reissuances (tenant_id, id) on delete cascade);
create index openid_reissuance_credentials_grant on openid_reissuance_credentials (tenant_id, reissuance_id);
drop index openid_reissuances_credentials;`

/** What wallets got before; the owner of a table is held by its fence, too. */
const KNOWN = `
alter table openid_reissuances no force row level security;
alter table openid_sessions no force row level security;
alter table openid_issuances no force row level security;
insert into openid_reissuance_credentials (tenant_id, credential_id, reissuance_id)
  select r.tenant_id, unnest(r.credential_ids), r.id from openid_reissuances r
  union
  select r.tenant_id, unnest(i.credential_ids), r.id from openid_reissuances r
    join openid_sessions s on s.tenant_id = r.tenant_id and s.reissuance_id = r.id
    join openid_issuances i on i.tenant_id = s.tenant_id and i.session_id = s.id;
alter table openid_reissuances force row level security;
alter table openid_sessions force row level security;
alter table openid_issuances force row level security;`

export class OpenIdReissuanceCredentials extends Migration {
  override name = '0091-openid-reissuance-credentials'

  override up() {
    this.addSql([CREDENTIALS, KNOWN, fence('openid_reissuance_credentials')].join('\n'))
  }
}
