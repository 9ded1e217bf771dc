import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * One index for each filter of the list of all formats, most with the order of the list. Of the types each place has its
 * own: below row-level security PostgreSQL reads no GIN index, because the operators of arrays are not leakproof. Rows with
 * a fifth type are rare, and share one index. The list of one format takes the place of the list without one.
 */
const INDEXES = `
drop index credentials_types;
drop index credentials_list;
create index credentials_format on credentials (tenant_id, format, created_at desc, id);
create index credentials_did on credentials (tenant_id, did_id, created_at desc) where did_id is not null;
create index credentials_type_1 on credentials (tenant_id, (types[1]), created_at desc) where types[1] is not null;
create index credentials_type_2 on credentials (tenant_id, (types[2]), created_at desc) where types[2] is not null;
create index credentials_type_3 on credentials (tenant_id, (types[3]), created_at desc) where types[3] is not null;
create index credentials_type_4 on credentials (tenant_id, (types[4]), created_at desc) where types[4] is not null;
create index credentials_type_5 on credentials (tenant_id, created_at desc) where types[5] is not null;
create index credentials_batch on credentials (tenant_id, batch_id, created_at desc) where batch_id is not null;
create index credentials_all_revoked on credentials (tenant_id, created_at desc) where revoked;
create index credentials_all_suspended on credentials (tenant_id, created_at desc) where suspended;
create index credentials_expiration on credentials (tenant_id, expiration_date) where expiration_date is not null;`

/**
 * Which published list was the first to have a change: the list's count after the change, and the count that each
 * published list has. A list that is signed anew without a change has no row.
 */
const PUBLICATIONS = `
alter table credential_status_changes add column list_change integer;
create table status_list_publications (
  list_id uuid not null, changes integer not null, tenant_id uuid not null references tenants,
  published_at timestamptz not null, scheduled boolean not null, primary key (list_id, changes),
  foreign key (tenant_id, list_id) references status_lists (tenant_id, id));`

/** Formats that a bulk revocation revokes; null, of an earlier release: all. */
const FORMATS = 'alter table credential_revocations add column formats text[];'

export class CredentialsLife extends Migration {
  override name = '0013-credentials-life'

  override up() {
    this.addSql([INDEXES, PUBLICATIONS, FORMATS, fence('status_list_publications')].join('\n'))
  }
}
