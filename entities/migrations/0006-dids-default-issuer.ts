import { Migration } from '@mikro-orm/migrations'

/** At most one DID of a tenant signs for requests that name none. */
const DEFAULT_ISSUER = `
alter table dids add column is_default_issuer boolean not null default false;
create unique index dids_default_issuer on dids (tenant_id) where is_default_issuer and deleted_at is null;`

export class DidsDefaultIssuer extends Migration {
  override name = '0006-dids-default-issuer'

  override up() {
    this.addSql(DEFAULT_ISSUER)
  }
}
