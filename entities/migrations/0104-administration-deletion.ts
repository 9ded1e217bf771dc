import { Migration } from '@mikro-orm/migrations'

/**
 * To delete a credential, PostgreSQL looks for holders that refer to it; to delete a version of a template, for the template
 * that has it as its newest. Without these indexes it reads the table whole, each time.
 */
const REFERENCES = `
create index credential_holders_credential on credential_holders (credential_id);
create index semantic_templates_version on semantic_templates (version_id);`

/**
 * The rows of one tenant. All of them are small, because a tenant's rows share one key, and their tables are written to
 * seldom. Rows of batches have none: they are found by their batch (activities/administration/tenants/tables.ts).
 */
const TENANTS = `
create index credential_status_changes_tenant on credential_status_changes (tenant_id);
create index status_list_publications_tenant on status_list_publications (tenant_id);
create index key_envelopes_tenant on key_envelopes (tenant_id);`

/** Rows that wait are in outbox_turns: a row costs one entry here, when it starts. Last, because all changes wait for it. */
const OUTBOX = 'create index outbox_started on outbox (tenant_id) where started_at is not null;'

export class AdministrationDeletion extends Migration {
  override name = '0104-administration-deletion'

  override up() {
    this.addSql([REFERENCES, TENANTS, OUTBOX].join('\n'))
  }
}
