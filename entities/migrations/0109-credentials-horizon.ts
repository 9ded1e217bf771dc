import { Migration } from '@mikro-orm/migrations'

/** Of the second pass of a bulk revocation: the transactions that may still record what it has to revoke are older. */
const HORIZON = 'alter table credential_revocations add column horizon xid8;'

export class CredentialsHorizon extends Migration {
  override name = '0109-credentials-horizon'

  override up() {
    this.addSql(HORIZON)
  }
}
