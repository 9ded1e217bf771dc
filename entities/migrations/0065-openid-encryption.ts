import { Migration } from '@mikro-orm/migrations'

/** Policies of before require neither, which is what their tenants have chosen. */
const POLICIES = `
alter table openid_wallet_policies add requires_encryption boolean not null default false,
  add signs_metadata boolean not null default false;`

export class OpenIdEncryption extends Migration {
  override name = '0065-openid-encryption'

  override up() {
    this.addSql(POLICIES)
  }
}
