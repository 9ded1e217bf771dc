import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * Of an erased credential the row stays, for its status: its document is an empty object. Lists count without these rows by
 * an index alone. No index without a further condition leaves them out: PostgreSQL, as long as it has no statistics, takes
 * such an index for nearly empty, and would read all of it to find one id.
 */
const ERASED = `
alter table credentials add column erased_at timestamptz;
create index credentials_by_id on credentials (tenant_id, id);
drop index credentials_format;
drop index credentials_batch;
drop index credentials_expiration;
create index credentials_format on credentials (tenant_id, format, created_at desc, id) include (erased_at);
create index credentials_batch on credentials (tenant_id, batch_id, created_at desc)
  where batch_id is not null and erased_at is null;
create index credentials_expiration on credentials (tenant_id, expiration_date)
  where expiration_date is not null and erased_at is null;`

/** One row for each person, by a keyed digest; the person is in it, encrypted, while the erasure is under way. */
const ERASURES = `
create table erasures (
  id uuid primary key, tenant_id uuid not null references tenants,
  kind text not null check (kind in ('user', 'subject', 'credential')), subject_digest bytea not null, subject bytea,
  credential_status text not null check (credential_status in ('keep', 'revoke', 'suspend')),
  state text not null check (state in ('ERASING', 'ERASED')),
  step text check (step in ('person', 'batches', 'credentials', 'rest')), round int not null default 1,
  cursor_id uuid, cursor_row int, counts json not null, mentioned_ids uuid[] not null default '{}', request_id uuid not null, client_id text not null,
  created_at timestamptz not null default now(), started_at timestamptz not null, ended_at timestamptz,
  unique (tenant_id, subject_digest), check ((state = 'ERASED') = (ended_at is not null)),
  check ((state = 'ERASING') = (subject is not null)), check ((state = 'ERASING') = (step is not null)));
create index erasures_under_way on erasures (id) where state = 'ERASING';`

export class AdministrationErasures extends Migration {
  override name = '0045-administration-erasures'

  override up() {
    this.addSql([ERASED, ERASURES, fence('erasures')].join('\n'))
  }
}
