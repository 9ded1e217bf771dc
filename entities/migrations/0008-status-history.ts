import { Migration } from '@mikro-orm/migrations'

/** Columns that are empty for nearly every credential, and indexes that do not know those: signing is as fast as before. */
const SUSPENSION = `
alter table semantic_credentials
  add column suspension_list_id uuid, add column suspension_index integer,
  add column suspended boolean not null default false,
  add check ((suspension_list_id is null) = (suspension_index is null)),
  add check (suspension_list_id is null or status_list_id is not null),
  add foreign key (tenant_id, suspension_list_id) references status_lists (tenant_id, id);
create unique index semantic_credentials_suspension on semantic_credentials (suspension_list_id, suspension_index)
  where suspension_list_id is not null;
create index semantic_credentials_suspended on semantic_credentials (suspension_list_id) where suspended;`

/** What was revoked before gets the one change that is known of it. */
const HISTORY = `
create table credential_status_changes (
  id bigint generated always as identity, tenant_id uuid not null references tenants,
  credential_id uuid not null references semantic_credentials,
  purpose text not null check (purpose in ('revocation', 'suspension')), value boolean not null,
  changed_at timestamptz not null, request_id uuid, primary key (credential_id, id));
alter table semantic_credentials no force row level security;
insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at)
select tenant_id, id, 'revocation', revoked, status_changed_at from semantic_credentials
where status_changed_at is not null order by status_changed_at;
alter table semantic_credentials force row level security;`

/**
 * One status with its history, log entry and idempotent effect, under the credential's row lock: one change after the other.
 * One round trip, and the mark on the list at its end: changes of one list wait for each other's commit and nothing else.
 */
const SET_STATUS = `
create function set_semantic_credential_status(
  tenant uuid, wanted_credential uuid, wanted_purpose text, wanted boolean,
  log_id uuid, request uuid, log_type text, log_metadata json, idempotency text, idempotent_effect bytea) returns text
language plpgsql as $$
declare
  known semantic_credentials%rowtype;
  list uuid;
  differs boolean;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into known from semantic_credentials where id = wanted_credential for no key update;
  if not found then return 'not_found'; end if;
  list := case wanted_purpose when 'revocation' then known.status_list_id else known.suspension_list_id end;
  if list is null then return 'no_status'; end if;
  if idempotency is not null then
    update idempotency_keys set effect = idempotent_effect where key = idempotency and effect is null;
    if not found then return 'recorded_before'; end if;
  end if;
  insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
  values (log_id, tenant, 'credential-web-semantic', log_type, clock_timestamp(), request, '{}', log_metadata);
  differs := case wanted_purpose when 'revocation' then known.revoked else known.suspended end <> wanted;
  if not differs then return 'unchanged'; end if;
  if wanted_purpose = 'revocation' then
    update semantic_credentials set revoked = wanted, status_changed_at = clock_timestamp() where id = known.id;
  else
    update semantic_credentials set suspended = wanted, status_changed_at = clock_timestamp() where id = known.id;
  end if;
  insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at, request_id)
  values (tenant, known.id, wanted_purpose, wanted, clock_timestamp(), request);
  update status_lists set changes = changes + 1 where id = list;
  return 'changed';
end $$;`

/** As record_semantic_credential, for a credential with a second entry: one transaction, one round trip. */
const RECORD = `
create function record_suspendable_credential(
  tenant uuid, credential_id uuid, issuer uuid, signed json, proof text, label text, type_names text[],
  issued timestamptz, expires timestamptz, list uuid, list_index integer,
  log_id uuid, request uuid, log_metadata json, idempotency text, idempotent_effect bytea,
  second_list uuid, second_index integer) returns text
language plpgsql as $$
declare
  outcome text;
begin
  outcome := record_semantic_credential(tenant, credential_id, issuer, signed, proof, label, type_names, issued, expires,
    list, list_index, log_id, request, log_metadata, idempotency, idempotent_effect);
  if outcome = 'recorded' then
    update semantic_credentials set suspension_list_id = second_list, suspension_index = second_index
    where id = credential_id;
  end if;
  return outcome;
end $$;`

const REVOCATIONS = `
create table credential_revocations (
  id uuid primary key, tenant_id uuid not null references tenants,
  scope text not null check (scope in ('template', 'batch', 'issuer')), subject text not null,
  state text not null default 'REVOKING' check (state in ('REVOKING', 'REVOKED')),
  checked integer not null default 0, revoked integer not null default 0,
  pass integer not null default 1, cursor_id uuid, cursor_time timestamptz, cursor_number integer,
  request_id uuid not null, client_id text not null,
  created_at timestamptz not null default clock_timestamp(), ended_at timestamptz);
create index credential_revocations_subject on credential_revocations (tenant_id, subject);
drop function revoke_semantic_credential_rows(uuid, uuid, integer, integer);`

/**
 * The next credentials of a revocation, in one transaction with their history, the marks on their lists (one each) and the
 * place that was reached. What comes before the cursor was done; a credential that was being recorded when the revocation
 * was asked for may have come in behind it, so templates and issuers are gone through twice, the second time when every
 * statement from back then has ended (they take 5 seconds at most).
 */
const REVOKE_SLICE = `
create function revoke_semantic_credential_slice(tenant uuid, revocation uuid, at_once integer)
returns table (phase text, all_checked integer, all_revoked integer)
language plpgsql as $$
declare
  run credential_revocations%rowtype;
  ids uuid[] := '{}';
  affected uuid[];
  next_list uuid;
  new_revoked integer;
  seen integer := 0;
  over boolean;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into run from credential_revocations r where r.id = revocation for update;
  if not found then return query select 'gone', 0, 0; return; end if;
  if run.state = 'REVOKED' then return query select 'done', run.checked, run.revoked; return; end if;
  if run.pass = 2 and clock_timestamp() < run.created_at + interval '6 seconds' then
    return query select 'wait', run.checked, run.revoked;
    return;
  end if;

  if run.scope = 'batch' then
    select array_agg(s.credential_id), count(*), coalesce(max(s.row_number), run.cursor_number)
    into ids, seen, run.cursor_number from (
      select r.row_number, r.credential_id from semantic_credential_batch_rows r
      where r.batch_id = run.subject::uuid and r.row_number > coalesce(run.cursor_number, 0)
      order by r.row_number limit at_once) as s;
    over := seen < at_once;
  elsif run.scope = 'template' then
    for run.cursor_time, run.cursor_id in
      select c.created_at, c.id from semantic_credentials c
      where c.tenant_id = tenant and c.template_id = run.subject::uuid
        and (c.created_at, c.id) > (coalesce(run.cursor_time, '-infinity'),
          coalesce(run.cursor_id, '00000000-0000-0000-0000-000000000000'))
      order by c.created_at, c.id limit at_once
    loop
      ids := ids || run.cursor_id;
    end loop;
    seen := cardinality(ids);
    over := seen < at_once;
  else
    select l.id into next_list from status_lists l join dids d on d.id = l.did_id
    where d.did = run.subject and l.purpose = 'revocation' and (run.cursor_id is null or l.id >= run.cursor_id)
    order by l.id limit 1;
    if next_list is distinct from run.cursor_id then run.cursor_number := -1; end if;
    select array_agg(s.id), count(*), max(s.status_index) into ids, seen, run.cursor_number from (
      select c.id, c.status_index from semantic_credentials c
      where c.status_list_id = next_list and c.status_index > run.cursor_number
      order by c.status_index limit at_once) as s;
    run.cursor_id := next_list;
    over := next_list is null;
    if seen < at_once and not over then
      select l.id into run.cursor_id from status_lists l join dids d on d.id = l.did_id
      where d.did = run.subject and l.purpose = 'revocation' and l.id > next_list order by l.id limit 1;
      run.cursor_number := -1;
      over := run.cursor_id is null;
    end if;
  end if;

  perform 1 from semantic_credentials c where c.id = any (ids) order by c.id for no key update;
  with changed as (
    update semantic_credentials c set revoked = true, status_changed_at = clock_timestamp()
    where c.id = any (ids) and c.status_list_id is not null and not c.revoked and c.created_at <= run.created_at
    returning c.id, c.status_list_id
  ), kept as (
    insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at, request_id)
    select tenant, changed.id, 'revocation', true, clock_timestamp(), run.request_id from changed
  )
  select count(*), array_agg(distinct changed.status_list_id) into new_revoked, affected from changed;
  if new_revoked > 0 then
    perform 1 from status_lists l where l.id = any (affected) order by l.id for update;
    update status_lists l set changes = l.changes + 1 where l.id = any (affected);
  end if;

  run.revoked := run.revoked + new_revoked;
  if run.pass = 1 then run.checked := run.checked + seen; end if;
  if over and run.pass = 1 and run.scope <> 'batch' then
    run.pass := 2;
    run.cursor_id := null; run.cursor_time := null; run.cursor_number := null;
    over := false;
  end if;
  if over then
    run.state := 'REVOKED';
    run.ended_at := clock_timestamp();
    insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
    values (gen_random_uuid(), tenant, 'credential-web-semantic', 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE_COMPLETE_SUCCESS',
      clock_timestamp(), run.request_id, '{}', json_build_object('clientId', run.client_id, 'id', run.id, 'by', run.scope,
      'subject', run.subject, 'revoked', run.revoked));
  end if;
  update credential_revocations r set state = run.state, ended_at = run.ended_at, revoked = run.revoked,
    checked = run.checked, pass = run.pass, cursor_id = run.cursor_id, cursor_time = run.cursor_time,
    cursor_number = run.cursor_number where r.id = revocation;
  if run.scope = 'batch' then
    update semantic_credential_batches b set revoked = run.revoked, revocation = run.state where b.id = run.subject::uuid;
  end if;
  return query select case when over then 'done' else 'more' end, run.checked, run.revoked;
end $$;`

const NOTIFICATIONS = `
create table credential_notifications (
  id uuid primary key, tenant_id uuid not null references tenants,
  credential_id uuid not null references semantic_credentials, recipient text not null, sender text not null,
  message json not null, state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'NO_SERVICE', 'FAILED')),
  reason text, request_id uuid not null, client_id text not null,
  created_at timestamptz not null default now(), ended_at timestamptz);
create index credential_notifications_credential on credential_notifications (credential_id, created_at);`

const OWNED = ['credential_status_changes', 'credential_revocations', 'credential_notifications']

/** As in 0001-foundation. */
const fence = (table: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`

export class StatusHistory extends Migration {
  override name = '0008-status-history'

  override up() {
    const tables = [SUSPENSION, HISTORY, SET_STATUS, RECORD, REVOCATIONS, REVOKE_SLICE, NOTIFICATIONS]
    this.addSql([...tables, ...OWNED.map(fence)].join('\n'))
  }
}
