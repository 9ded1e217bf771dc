import { Migration } from '@mikro-orm/migrations'

const TABLES = `
create table semantic_credential_batches (
  id uuid primary key, tenant_id uuid not null references tenants, attempt uuid not null,
  format text not null check (format in ('web-semantic')), source text not null check (source in ('jsonl', 'csv')),
  state text not null check (state in ('RECEIVING', 'PROCESSING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
  options json not null, issuers text[] not null default '{}',
  total integer not null default 0, signed integer not null default 0, failed integer not null default 0,
  pause_code text, pause_message text, waiting_for text, waiting_since timestamptz,
  request_id uuid not null, client_id uuid not null, body_sha256 bytea,
  resumed_at timestamptz, resumed_done integer not null default 0, last_progress_at timestamptz, ended_at timestamptz,
  revocation text check (revocation in ('REVOKING', 'REVOKED')), revoked integer not null default 0,
  created_at timestamptz not null default now(), unique (tenant_id, id), check (signed + failed <= total));
create index semantic_credential_batches_list on semantic_credential_batches (tenant_id, created_at desc, id);
create index semantic_credential_batches_left on semantic_credential_batches (last_progress_at) where state = 'RECEIVING';
create table semantic_credential_batch_rows (
  batch_id uuid not null, row_number integer not null, tenant_id uuid not null,
  state text not null check (state in ('pending', 'signed', 'failed')), input json, errors json, credential_id uuid,
  primary key (batch_id, row_number), check ((state = 'signed') = (credential_id is not null)),
  foreign key (tenant_id, batch_id) references semantic_credential_batches (tenant_id, id) on delete cascade);
create index semantic_credential_batch_rows_failed on semantic_credential_batch_rows (batch_id, row_number)
where state = 'failed';`

/** One slice of an upload. False: the upload was taken over by a later try, or is over. */
const RECEIVE = `
create function receive_semantic_credential_rows(
  tenant uuid, batch uuid, mine uuid, first_row integer, inputs text[], problems text[], idempotency text) returns boolean
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  update semantic_credential_batches
  set total = first_row - 1 + cardinality(inputs), last_progress_at = clock_timestamp(),
    failed = failed + (select count(*) from unnest(problems) as problem where problem is not null)
  where id = batch and attempt = mine and state = 'RECEIVING';
  if not found then return false; end if;
  insert into semantic_credential_batch_rows (batch_id, row_number, tenant_id, state, input, errors)
  select batch, first_row - 1 + place, tenant, case when problem is null then 'pending' else 'failed' end,
    input::json, problem::json
  from unnest(inputs, problems) with ordinality as given (input, problem, place);
  if idempotency is not null then
    update idempotency_keys set locked_until = clock_timestamp() + interval '30 seconds' where key = idempotency;
  end if;
  return true;
end $$;`

/** True: there is more to take away. `mine` null: whichever try fills it. */
const DISCARD = `
create function discard_semantic_credential_upload(
  tenant uuid, batch uuid, mine uuid, at_once integer, keep_batch boolean) returns boolean
language plpgsql as $$
declare
  dropped integer;
begin
  perform set_config('app.tenant', tenant::text, true);
  perform 1 from semantic_credential_batches
  where id = batch and state = 'RECEIVING' and attempt = coalesce(mine, attempt) for update;
  if not found then return false; end if;
  delete from semantic_credential_batch_rows where ctid = any (array(
    select r.ctid from semantic_credential_batch_rows r where r.batch_id = batch limit at_once));
  get diagnostics dropped = row_count;
  if dropped = at_once then return true; end if;
  if not keep_batch then delete from semantic_credential_batches where id = batch; end if;
  return false;
end $$;`

/**
 * A chunk as a whole: credentials, rows and counts, or nothing. A row that is not pending any more is left alone, so that
 * a repeated chunk adds nothing; so is one whose issuer is gone, which the share lock settles for the transaction. Rows are
 * found by `any`, which the primary key answers whatever the statistics say: of a batch that is new they know nothing, and
 * a join would then go through all of its rows.
 */
const RECORD_CHUNK = `
create function record_semantic_credential_chunk(
  tenant uuid, batch uuid, signed_rows integer[], ids uuid[], issuer_ids uuid[], credentials text[], proofs text[],
  labels text[], type_names text[], issued timestamptz[], expires timestamptz[], lists uuid[], list_indexes integer[],
  failed_rows integer[], reasons text[])
returns table (outcome text, all_signed integer, all_failed integer)
language plpgsql as $$
declare
  current_state text;
  living uuid[];
  new_signed integer;
  new_failed integer;
begin
  perform set_config('app.tenant', tenant::text, true);
  select b.state into current_state from semantic_credential_batches b where b.id = batch for update;
  if current_state is null or current_state = 'CANCELLED' then
    return query select 'cancelled', 0, 0;
    return;
  end if;
  select coalesce(array_agg(d.id), '{}') into living from (
    select dids.id from dids where dids.id = any (issuer_ids) and deleted_at is null and registration_status = 'COMPLETED'
    order by dids.id for share) as d;
  with given as (
    select * from unnest(signed_rows, ids, issuer_ids, credentials, proofs, labels, type_names, issued, expires, lists,
      list_indexes) as g (row_number, id, issuer, credential, proof, label, type_names, issued, expires, list, list_index)
    where g.issuer = any (living)
  ), pending as materialized (
    select r.row_number from semantic_credential_batch_rows r
    where r.batch_id = batch and r.row_number = any (signed_rows) and r.state = 'pending' for update
  ), taken as (
    select g.* from given g join pending p using (row_number)
  ), marked as (
    update semantic_credential_batch_rows r set state = 'signed', input = null, credential_id = t.id from taken t
    where r.batch_id = batch and r.row_number = any (signed_rows) and r.row_number = t.row_number
  ), added as (
    insert into semantic_credentials (id, tenant_id, did_id, credential, proof_type, tag, types, issuance_date,
      expiration_date, status_list_id, status_index)
    select t.id, tenant, t.issuer, t.credential::json, t.proof, t.label,
      array(select json_array_elements_text(t.type_names::json)), t.issued, t.expires, t.list, t.list_index
    from taken t on conflict (id) do nothing
  )
  select count(*) into new_signed from taken;
  with refused as (
    update semantic_credential_batch_rows r set state = 'failed', input = null, errors = f.reason::json
    from unnest(failed_rows, reasons) as f (row_number, reason)
    where r.batch_id = batch and r.row_number = any (failed_rows) and r.row_number = f.row_number and r.state = 'pending'
    returning 1
  )
  select count(*) into new_failed from refused;
  if new_signed + new_failed > 0 then
    update semantic_credential_batches b set signed = b.signed + new_signed, failed = b.failed + new_failed,
      last_progress_at = clock_timestamp(), waiting_for = null, waiting_since = null where b.id = batch;
  end if;
  return query select case when living @> issuer_ids then 'recorded' else 'issuer_gone' end, b.signed, b.failed
    from semantic_credential_batches b where b.id = batch;
end $$;`

/** The next credentials of a batch, revoked at once; each list that changed is marked once. */
const REVOKE_SLICE = `
create function revoke_semantic_credential_rows(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (last_row integer, all_revoked integer)
language plpgsql as $$
declare
  reached integer;
  affected uuid[];
  new_revoked integer;
begin
  perform set_config('app.tenant', tenant::text, true);
  select max(s.row_number) into reached from (
    select r.row_number from semantic_credential_batch_rows r
    where r.batch_id = batch and r.row_number > after_row order by r.row_number limit at_once) as s;
  with changed as (
    update semantic_credentials c set revoked = true, status_changed_at = clock_timestamp()
    from semantic_credential_batch_rows r
    where r.batch_id = batch and r.row_number > after_row and r.row_number <= reached and c.id = r.credential_id
      and c.status_list_id is not null and not c.revoked
    returning c.status_list_id
  )
  select count(*), array_agg(distinct status_list_id) into new_revoked, affected from changed;
  if new_revoked > 0 then
    perform 1 from status_lists l where l.id = any (affected) order by l.id for update;
    update status_lists l set changes = l.changes + 1 where l.id = any (affected);
  end if;
  update semantic_credential_batches b set revoked = b.revoked + new_revoked where b.id = batch;
  return query select reached, b.revoked from semantic_credential_batches b where b.id = batch;
end $$;`

/** Pages of what a batch leaves to download. */
const READ = `
create function read_semantic_credential_batch_results(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (row_number integer, id uuid, credential text)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  return query select r.row_number, c.id, c.credential::text
    from semantic_credential_batch_rows r join semantic_credentials c on c.id = r.credential_id
    where r.batch_id = batch and r.row_number > after_row order by r.row_number limit at_once;
end $$;
create function read_semantic_credential_batch_errors(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (row_number integer, errors json)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  return query select r.row_number, r.errors from semantic_credential_batch_rows r
    where r.batch_id = batch and r.row_number > after_row and r.state = 'failed' order by r.row_number limit at_once;
end $$;`

const OWNED = ['semantic_credential_batches', 'semantic_credential_batch_rows']

/** As in 0001-foundation. */
const fence = (table: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`

export class Batches extends Migration {
  override name = '0006-batches'

  override up() {
    this.addSql([TABLES, RECEIVE, DISCARD, RECORD_CHUNK, REVOKE_SLICE, READ, ...OWNED.map(fence)].join('\n'))
  }
}
