-- A chunk as a whole: credentials, states of the rows and counts of the batch, or nothing. `rows` and `documents` are as
-- record_credentials takes them, `signed_rows`, `ids` and `issuer_ids` belong to them one by one. A row that is not pending any
-- more is left alone, so that a repeated chunk adds nothing; so is one whose issuer, a DID or a document signer, is gone, which
-- the share lock settles for the transaction. Nothing is recorded from a template that is deleted, which is settled alike. Rows
-- are found by `any`, which the primary key answers whatever the statistics say: of a batch that is new they know nothing, and
-- a join would then go through all of its rows.
create or replace function record_batch_chunk(
  tenant uuid, batch uuid, signed_rows integer[], ids uuid[], issuer_ids uuid[], rows text, template uuid,
  failed_rows integer[], reasons text[], documents text default null)
returns table (outcome text, all_signed integer, all_failed integer)
language plpgsql as $$
declare
  current_state text;
  living uuid[];
  recorded uuid[];
  new_signed integer;
  new_failed integer;
begin
  perform set_config('app.tenant', tenant::text, true);
  select b.state into current_state from credential_batches b where b.id = batch for update;
  if current_state is null or current_state = 'CANCELLED' then
    return query select 'cancelled', 0, 0;
    return;
  end if;
  if template is not null then
    perform 1 from semantic_templates t where t.id = template and t.deleted_at is null for share;
    if not found then
      return query select 'template_gone', b.signed, b.failed from credential_batches b where b.id = batch;
      return;
    end if;
  end if;
  select coalesce(array_agg(d.id), '{}') into living from (
    select dids.id from dids where dids.id = any (issuer_ids) and deleted_at is null and registration_status = 'COMPLETED'
    order by dids.id for share) as d;
  if not living @> issuer_ids then
    select living || coalesce(array_agg(s.id), '{}') into living from (
      select m.id from mobile_document_signers m join mobile_iacas i on i.id = m.iaca_id
      where m.id = any (issuer_ids) and m.active and m.revoked_at is null and m.deleted_at is null
        and i.active and i.deleted_at is null
      order by m.id for share) as s;
  end if;
  with pending as materialized (
    select r.row_number from credential_batch_rows r
    where r.batch_id = batch and r.row_number = any (signed_rows) and r.state = 'pending' for update
  ), taken as (
    select g.row_number, g.id from unnest(signed_rows, ids, issuer_ids) as g (row_number, id, issuer)
      join pending p using (row_number)
    where g.issuer = any (living)
  ), marked as (
    update credential_batch_rows r set state = 'signed', input = null, credential_id = t.id from taken t
    where r.batch_id = batch and r.row_number = any (signed_rows) and r.row_number = t.row_number
  )
  select count(*), array_agg(taken.id) into new_signed, recorded from taken;
  if new_signed > 0 then
    perform from record_credentials(rows, wanted => recorded, documents => documents);
  end if;
  with refused as (
    update credential_batch_rows r set state = 'failed', input = null, errors = f.reason::json
    from unnest(failed_rows, reasons) as f (row_number, reason)
    where r.batch_id = batch and r.row_number = any (failed_rows) and r.row_number = f.row_number and r.state = 'pending'
    returning 1
  )
  select count(*) into new_failed from refused;
  if new_signed + new_failed > 0 then
    update credential_batches b set signed = b.signed + new_signed, failed = b.failed + new_failed,
      last_progress_at = clock_timestamp(), waiting_for = null, waiting_since = null where b.id = batch;
  end if;
  return query select case when living @> issuer_ids then 'recorded' else 'issuer_gone' end, b.signed, b.failed
    from credential_batches b where b.id = batch;
end $$;
