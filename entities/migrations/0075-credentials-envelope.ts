import { Migration } from '@mikro-orm/migrations'

/**
 * The envelope of a credential that is signed as JWT or COSE_Sign1; its document is what stands in it. Base64 compresses
 * too badly for the time that it takes.
 */
const ENVELOPE = `
alter table credentials add envelope text;
alter table credentials add constraint credentials_envelope_check
  check (envelope is null or (format = 'semantic' and document is not null and erased_at is null));
alter table credentials alter column envelope set storage external;`

export class CredentialsEnvelope extends Migration {
  override name = '0075-credentials-envelope'

  override up() {
    this.addSql(ENVELOPE)
  }
}
