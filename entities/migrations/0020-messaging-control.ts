import { Migration } from '@mikro-orm/migrations'

/**
 * SHA-256 of the key whose JWT has proved the control of a DID, for as long as its document may change. Null of a DID of
 * the tenant, of a did:key, and of a registration from before this column.
 */
const CONTROL = `
alter table inbox_dids add column control_key bytea,
  add constraint inbox_dids_control check (control_key is null or (octet_length(control_key) = 32 and did_id is null));`

export class MessagingControl extends Migration {
  override name = '0020-messaging-control'

  override up() {
    this.addSql(CONTROL)
  }
}
