import { Migration } from '@mikro-orm/migrations'

/**
 * The batch and the row that a credential came from. No foreign key: record_batch_chunk, which alone writes them, holds the
 * batch's row, a batch with credentials is never deleted, and a check of each credential would cost every batch.
 */
const COLUMNS = `
alter table credentials add column batch_id uuid, add column batch_row integer,
  add constraint credentials_batch check ((batch_id is null) = (batch_row is null));`

/** Row-level security holds the tables' owner too, who therefore sees no tenant's rows. */
const EARLIER = `
alter table credentials no force row level security;
alter table credential_batch_rows no force row level security;
update credentials c set batch_id = r.batch_id, batch_row = r.row_number
  from credential_batch_rows r where r.credential_id = c.id and r.tenant_id = c.tenant_id;
alter table credentials force row level security;
alter table credential_batch_rows force row level security;`

export class CredentialsBatch extends Migration {
  override name = '0008-credentials-batch'

  override up() {
    this.addSql(COLUMNS)
    this.addSql(EARLIER)
  }
}
