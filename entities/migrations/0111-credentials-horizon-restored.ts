import { Migration } from '@mikro-orm/migrations'

/** Nothing: a new revoke_credential_slice comes with it. */
export class CredentialsHorizonRestored extends Migration {
  override name = '0111-credentials-horizon-restored'

  override up() {}
}
