import { Migration } from '@mikro-orm/migrations'

/**
 * How far this database has come. `epoch` counts the restores: a status list gives out entries in its own epoch alone.
 * `mark` grows while the platform runs and is remembered outside of the database, under `id`, so that a copy from before
 * is told by its lower mark. `incarnation` names the database that the rows were written in: rows that were restored from
 * a dump stand in another one. Lists from before this migration are of epoch 0, because a dump from then may be what is
 * migrated here.
 */
const EPOCH = `
create table platform_epoch (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(), epoch integer not null default 1,
  mark integer not null default 0, marked_at timestamptz, incarnation text not null, restored_at timestamptz,
  keys_compared_at timestamptz, keys_without_row integer not null default 0, rows_without_key integer not null default 0);
alter table status_lists add column epoch integer not null default 0;
drop index status_lists_open;
create index status_lists_open on status_lists (tenant_id, did_id, kind, purpose, proof_type, epoch) where used < size;`

/**
 * A dump is restored into tables with other numbers, mostly in another cluster; a standby that was promoted, or a recovery
 * to a point in time, begins another timeline. A service that does not tell cluster and timeline leaves the numbers.
 */
const INCARNATION = `
create function database_incarnation() returns text
language plpgsql stable as $$
declare
  numbers text := (select d.oid from pg_database d where d.datname = current_database()) || '/' || 'platform_epoch'::regclass::oid;
begin
  return (select c.system_identifier from pg_control_system() c) || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
    || '/' || numbers;
exception when insufficient_privilege or undefined_function or feature_not_supported then
  return numbers;
end $$;
insert into platform_epoch (incarnation) values (database_incarnation());`

/**
 * As in 0001-foundation, from a list of this epoch. No row where the database is not known to be the newest: its rows came
 * from elsewhere, or its mark is below the one that the caller knows.
 */
const RESERVE = `
create function reserve_status_entries(
  tenant uuid, issuer uuid, wanted_kind text, wanted_purpose text, proof text, wanted integer,
  new_id uuid, new_size integer, new_key bytea, witnessed integer)
returns table (list_id uuid, first_entry integer, entries integer, list_size integer, list_key bytea)
language plpgsql as $$
declare
  here platform_epoch%rowtype;
  open_list status_lists%rowtype;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into here from platform_epoch;
  if here.incarnation is distinct from database_incarnation() or here.mark < witnessed then return; end if;
  select * into open_list from status_lists l
  where l.did_id = issuer and l.kind = wanted_kind and l.purpose = wanted_purpose and l.proof_type = proof
    and l.epoch = here.epoch and l.used < l.size
  order by l.created_at, l.id limit 1 for update;
  if not found then
    insert into status_lists (id, tenant_id, did_id, kind, purpose, proof_type, size, permutation_key, epoch)
    values (new_id, tenant, issuer, wanted_kind, wanted_purpose, proof, new_size, new_key, here.epoch)
    returning * into open_list;
  end if;
  update status_lists set used = least(size, used + wanted) where id = open_list.id;
  return query select open_list.id, open_list.used, least(wanted, open_list.size - open_list.used), open_list.size,
    open_list.permutation_key;
end $$;`

/** For the release before, which does not know that there may be no entries yet. */
const RESERVE_BEFORE = `
create or replace function reserve_status_entries(
  tenant uuid, issuer uuid, wanted_kind text, wanted_purpose text, proof text, wanted integer,
  new_id uuid, new_size integer, new_key bytea)
returns table (list_id uuid, first_entry integer, entries integer, list_size integer, list_key bytea)
language plpgsql as $$
begin
  return query select * from reserve_status_entries(
    tenant, issuer, wanted_kind, wanted_purpose, proof, wanted, new_id, new_size, new_key, 0);
  if not found then raise exception 'the database was restored: a process of a newer release has to look at it first'; end if;
end $$;`

/** Finds rows that say "under way", of which there are few among many. */
const UNDER_WAY = `
alter table semantic_credential_batches add column discarded_at timestamptz;
alter table semantic_credential_batches no force row level security;
alter table semantic_credential_batch_rows no force row level security;
update semantic_credential_batches b set discarded_at = ended_at where state = 'CANCELLED' and not exists (
  select from semantic_credential_batch_rows r where r.batch_id = b.id and r.input is not null);
alter table semantic_credential_batches force row level security;
alter table semantic_credential_batch_rows force row level security;
create index semantic_credential_batches_under_way on semantic_credential_batches (id)
where state in ('PROCESSING', 'PAUSED', 'CANCELLED') and discarded_at is null;
create index credential_revocations_under_way on credential_revocations (id) where state = 'REVOKING';
create index credential_notifications_under_way on credential_notifications (id) where state = 'PENDING';
create index dids_under_way on dids (id) where registration_status = 'PROCESSING' or deleted_at is not null;`

export class Recovery extends Migration {
  override name = '0012-recovery'

  override up() {
    this.addSql([EPOCH, INCARNATION, RESERVE, RESERVE_BEFORE, UNDER_WAY].join('\n'))
  }
}
