import { Migration } from '@mikro-orm/migrations'

/**
 * Bytes of signed credentials are digests, salts and pictures, and rows of a batch stay for seconds: PostgreSQL would spend
 * more time on compressing them than on storing them. Stored values stay as they are.
 */
const STORAGE = `
alter table credentials alter column document_bytes set storage external;
alter table credential_batch_rows alter column input set storage external;`

export class CredentialsStorage extends Migration {
  override name = '0014-credentials-storage'

  override up() {
    this.addSql(STORAGE)
  }
}
