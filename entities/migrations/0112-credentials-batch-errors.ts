import { Migration } from '@mikro-orm/migrations'

/** Nothing: read_batch_errors has a parameter more. */
export class CredentialsBatchErrors extends Migration {
  override name = '0112-credentials-batch-errors'

  override up() {}
}
