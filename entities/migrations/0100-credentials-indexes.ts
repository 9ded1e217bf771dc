import { Migration } from '@mikro-orm/migrations'

/**
 * Only a W3C credential with a proof has an id that its caller may have chosen: in what encloses an encoded credential there
 * is none at its place, and to look for it took a tenth of what PostgreSQL needs to record one. Without a status entry, a
 * credential is not in the index of entries either. The new indexes stand before the old ones go.
 */
const INDEXES = `
create index credentials_chosen_id on credentials (tenant_id, md5(document ->> 'id'))
  where format = 'semantic' and strpos(document::text, '"id":"urn:uuid:' || id::text || '"') = 0;
drop index credentials_given_id;
create unique index credentials_status_entry on credentials (status_list_id, status_index)
  where status_list_id is not null;
alter table credentials drop constraint credentials_status_list_id_status_index_key;`

export class CredentialsIndexes extends Migration {
  override name = '0100-credentials-indexes'

  override up() {
    this.addSql(INDEXES)
  }
}
