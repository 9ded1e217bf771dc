import { Migration } from '@mikro-orm/migrations'

/**
 * Credentials of the format `semantic` alone have an id that their caller may have chosen; to look for it in the documents of
 * the others took a tenth of what PostgreSQL needs to record one (D-1037). A credential without a status entry is not in the
 * index of entries either. Both new indexes are made first: only writes wait for that, and reads for the end alone.
 */
const INDEXES = `
create index credentials_chosen_id on credentials (tenant_id, md5(document ->> 'id'))
  where format = 'semantic' and strpos(document::text, '"id":"urn:uuid:' || id::text || '"') = 0;
create unique index credentials_status_entry on credentials (status_list_id, status_index)
  where status_list_id is not null;
drop index credentials_given_id;
alter table credentials drop constraint credentials_status_list_id_status_index_key;`

export class CredentialsIndexes extends Migration {
  override name = '0100-credentials-indexes'

  override up() {
    this.addSql(INDEXES)
  }
}
