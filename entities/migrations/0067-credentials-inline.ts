import { Migration } from '@mikro-orm/migrations'

/**
 * Rows up to half a page stay as they are. By default PostgreSQL compresses those of more than 2 kB and moves what is left
 * beside the table, which costs more than storing them: signed text hardly compresses (D-931). Stored rows stay as they are.
 */
export class CredentialsInline extends Migration {
  override name = '0067-credentials-inline'

  override up() {
    this.addSql('alter table credentials set (toast_tuple_target = 4080)')
  }
}
