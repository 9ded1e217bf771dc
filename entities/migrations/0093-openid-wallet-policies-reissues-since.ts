import { Migration } from '@mikro-orm/migrations'

/** Grants of before this have ended by an earlier number of days, and no greater one brings them back. */
const SINCE = 'alter table openid_wallet_policies add reissues_since timestamptz;'

export class OpenIdWalletPoliciesReissuesSince extends Migration {
  override name = '0093-openid-wallet-policies-reissues-since'

  override up() {
    this.addSql(SINCE)
  }
}
