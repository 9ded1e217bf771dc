import { Migration } from '@mikro-orm/migrations'

/** Lists of compact credentials: their bits are those of the engine, and their form is a CWT. */
const KINDS = `
alter table status_lists drop constraint status_lists_kind_check;
alter table status_lists add constraint status_lists_kind_check
  check (kind in ('RevocationList2020', 'BitstringStatusList', 'BitIndexRevocationList'));`

/**
 * Templates of all formats share tables, because credentials and batches name one of any format. A type of compact
 * templates stands once among those of a tenant: the index decides, not a look before.
 */
const TEMPLATES = `
alter table semantic_templates add column format text not null default 'semantic'
  check (format in ('semantic', 'compact', 'compact-semantic')), add column type_key text;
create unique index semantic_templates_type on semantic_templates (tenant_id, type_key)
  where type_key is not null and deleted_at is null;`

export class CompactCredentials extends Migration {
  override name = '0010-compact-credentials'

  override up() {
    this.addSql(KINDS)
    this.addSql(TEMPLATES)
  }
}
