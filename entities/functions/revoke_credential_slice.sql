-- The next credentials of a revocation, in one transaction with their history, the marks on their lists (one each) and the
-- place that was reached. Credentials of other formats than the revocation names stay (null: an earlier release named none). What comes before the cursor was done; a credential that was being recorded when the revocation
-- was asked for may have come in behind it, so templates and issuers are gone through twice, the second time when every
-- statement from back then has ended (they take 5 seconds at most), and every transaction that had one (its other statements
-- may take longer). What was taken back since the revocation was asked for stays as it is. Of a holder nothing comes in behind: who asks has ended
-- what would issue more; at the end nothing leads from the holder to the credentials.
create or replace function revoke_credential_slice(
  tenant uuid, revocation uuid, at_once integer, log_category text, log_type text)
returns table (phase text, all_checked integer, all_revoked integer)
language plpgsql as $$
declare
  run credential_revocations%rowtype;
  ids uuid[] := '{}';
  affected uuid[];
  changed_ids uuid[];
  changed_lists uuid[];
  next_list uuid;
  signer uuid;
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
  -- of a restored database whose transactions have lower numbers than those of the one before: they would take years
  if run.pass = 2 and (run.horizon is null or run.horizon > pg_snapshot_xmax(pg_current_snapshot())) then
    run.horizon := pg_snapshot_xmax(pg_current_snapshot());
    update credential_revocations r set horizon = run.horizon where r.id = revocation;
  end if;
  if run.pass = 2 and pg_snapshot_xmin(pg_current_snapshot()) < run.horizon then
    return query select 'wait', run.checked, run.revoked;
    return;
  end if;

  -- an issuer is a DID, or the id of a document signer
  if run.scope = 'issuer' and run.subject not like 'did:%' then signer := run.subject::uuid; end if;

  if run.scope = 'batch' then
    select array_agg(s.credential_id), count(*), coalesce(max(s.row_number), run.cursor_number)
    into ids, seen, run.cursor_number from (
      select r.row_number, r.credential_id from credential_batch_rows r
      where r.batch_id = run.subject::uuid and r.row_number > coalesce(run.cursor_number, 0)
      order by r.row_number limit at_once) as s;
    over := seen < at_once;
  elsif run.scope = 'holder' then
    for run.cursor_id in
      select h.credential_id from credential_holders h
      where h.tenant_id = tenant and h.holder_id = run.subject::uuid
        and h.credential_id > coalesce(run.cursor_id, '00000000-0000-0000-0000-000000000000')
      order by h.credential_id limit at_once
    loop
      ids := ids || run.cursor_id;
    end loop;
    seen := cardinality(ids);
    over := seen < at_once;
  elsif run.scope = 'template' then
    for run.cursor_time, run.cursor_id in
      select c.created_at, c.id from credentials c
      where c.tenant_id = tenant and c.template_id = run.subject::uuid
        and (c.created_at, c.id) > (coalesce(run.cursor_time, '-infinity'),
          coalesce(run.cursor_id, '00000000-0000-0000-0000-000000000000'))
      order by c.created_at, c.id limit at_once
    loop
      ids := ids || run.cursor_id;
    end loop;
    seen := cardinality(ids);
    over := seen < at_once;
  elsif signer is not null then
    for run.cursor_time, run.cursor_id in
      select c.created_at, c.id from credentials c
      where c.tenant_id = tenant and c.document_signer_id = signer
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
      select c.id, c.status_index from credentials c
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

  perform 1 from credentials c where c.id = any (ids) order by c.id for no key update;
  with changed as (
    update credentials c set revoked = c.revoked or run.purpose = 'revocation',
      suspended = c.suspended or run.purpose = 'suspension', status_changed_at = clock_timestamp()
    where c.id = any (ids) and c.created_at <= run.created_at and (run.formats is null or c.format = any (run.formats))
      and case run.purpose when 'revocation' then c.status_list_id is not null and not c.revoked
        else c.suspension_list_id is not null and not c.suspended end
      and not exists (select from credential_status_changes h where h.credential_id = c.id and h.purpose = run.purpose
        and not h.value and h.changed_at > run.created_at)
    returning c.id, case run.purpose when 'revocation' then c.status_list_id else c.suspension_list_id end as list
  )
  select count(*), array_agg(distinct changed.list), array_agg(changed.id), array_agg(changed.list)
  into new_revoked, affected, changed_ids, changed_lists from changed;
  if new_revoked > 0 then
    perform 1 from status_lists l where l.id = any (affected) order by l.id for update;
    update status_lists l set changes = l.changes + 1 where l.id = any (affected);
    insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at, request_id, list_change)
    select tenant, changed.id, run.purpose, true, clock_timestamp(), run.request_id, l.changes
    from unnest(changed_ids, changed_lists) as changed (id, list) join status_lists l on l.id = changed.list;
  end if;

  run.revoked := run.revoked + new_revoked;
  if run.pass = 1 then run.checked := run.checked + seen; end if;
  if over and run.pass = 1 and run.scope not in ('batch', 'holder') then
    run.pass := 2;
    run.cursor_id := null; run.cursor_time := null; run.cursor_number := null;
    over := false;
  end if;
  if over then
    run.state := 'REVOKED';
    run.ended_at := clock_timestamp();
    insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
    values (gen_random_uuid(), tenant, log_category, log_type, clock_timestamp(), run.request_id, '{}',
      json_build_object('clientId', run.client_id, 'id', run.id, 'by', run.scope, 'subject', run.subject,
      'purpose', run.purpose, 'revoked', run.revoked),
      array_remove(array[run.id, case when run.scope = 'issuer' and signer is null
        then (select d.id from dids d where d.did = run.subject and d.deleted_at is null)
        else run.subject::uuid end], null));
  end if;
  update credential_revocations r set state = run.state, ended_at = run.ended_at, revoked = run.revoked,
    checked = run.checked, pass = run.pass, cursor_id = run.cursor_id, cursor_time = run.cursor_time,
    cursor_number = run.cursor_number where r.id = revocation;
  if run.scope = 'holder' and over then
    delete from credential_holders h where h.tenant_id = tenant and h.holder_id = run.subject::uuid;
  end if;
  if run.scope = 'batch' then
    update credential_batches b set revoked = run.revoked, revocation = run.state where b.id = run.subject::uuid;
  end if;
  return query select case when over then 'done' else 'more' end, run.checked, run.revoked;
end $$;
