import { Migration } from '@mikro-orm/migrations'

/** Why the registration of a did:web waits, and when the platform looks again. */
const DIDS = `
alter table dids add column waiting_code text, add column waiting_reason text,
  add column looked_at timestamptz, add column next_look_at timestamptz;`

/**
 * The objects that an entry is about; null in entries of programs that did not know the column. One index for each place
 * of an object: below row-level security PostgreSQL reads no GIN index, because the operators of arrays are not leakproof.
 */
const LOGS = `
alter table logs add column object_ids uuid[];
create index logs_object_1 on logs (tenant_id, (object_ids[1])) where object_ids[1] is not null;
create index logs_object_2 on logs (tenant_id, (object_ids[2])) where object_ids[2] is not null;
create index logs_object_3 on logs (tenant_id, (object_ids[3])) where object_ids[3] is not null;
create index logs_object_4 on logs (tenant_id, (object_ids[4])) where object_ids[4] is not null;`

/** Further objects that operators find a workflow by. */
const OUTBOX = 'alter table outbox add column object_ids text[];'

export class Operations extends Migration {
  override name = '0007-operations'

  override up() {
    this.addSql([DIDS, LOGS, OUTBOX].join('\n'))
  }
}
