import { Migration } from '@mikro-orm/migrations'

/** A batch keeps the version that it began with; `template_gone`: it goes on although the template was deleted. */
const BATCHES = `
alter table semantic_credential_batches
  add column template_id uuid, add column template_version integer,
  add column template_gone boolean not null default false,
  add check ((template_id is null) = (template_version is null)),
  add foreign key (tenant_id, template_id, template_version)
    references semantic_template_versions (tenant_id, template_id, version);`

/**
 * As in 0006-batches, for rows that come from a template, and for rows with a second entry, to be suspended by. Nothing is
 * recorded from a template that is deleted, which the share lock settles for the transaction, as for the issuers.
 */
const RECORD_CHUNK = `
create function record_semantic_credential_chunk(
  tenant uuid, batch uuid, signed_rows integer[], ids uuid[], issuer_ids uuid[], credentials text[], proofs text[],
  labels text[], type_names text[], issued timestamptz[], expires timestamptz[], lists uuid[], list_indexes integer[],
  second_lists uuid[], second_indexes integer[], template uuid, version integer, failed_rows integer[], reasons text[])
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
  if template is not null then
    perform 1 from semantic_templates t where t.id = template and t.deleted_at is null for share;
    if not found then
      return query select 'template_gone', b.signed, b.failed from semantic_credential_batches b where b.id = batch;
      return;
    end if;
  end if;
  select coalesce(array_agg(d.id), '{}') into living from (
    select dids.id from dids where dids.id = any (issuer_ids) and deleted_at is null and registration_status = 'COMPLETED'
    order by dids.id for share) as d;
  with given as (
    select * from unnest(signed_rows, ids, issuer_ids, credentials, proofs, labels, type_names, issued, expires, lists,
      list_indexes, second_lists, second_indexes) as g (row_number, id, issuer, credential, proof, label, type_names, issued,
      expires, list, list_index, second_list, second_index)
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
      expiration_date, status_list_id, status_index, suspension_list_id, suspension_index, template_id, template_version)
    select t.id, tenant, t.issuer, t.credential::json, t.proof, t.label,
      array(select json_array_elements_text(t.type_names::json)), t.issued, t.expires, t.list, t.list_index,
      t.second_list, t.second_index, template, version
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

/**
 * A worker of the release before (D-141) records by the function that it knows. It would take a row of claims for a
 * credential without any, and give a row one entry that asked for two: such a chunk is tried until another worker has it.
 */
const RECORD_CHUNK_BEFORE = `
create or replace function record_semantic_credential_chunk(
  tenant uuid, batch uuid, signed_rows integer[], ids uuid[], issuer_ids uuid[], credentials text[], proofs text[],
  labels text[], type_names text[], issued timestamptz[], expires timestamptz[], lists uuid[], list_indexes integer[],
  failed_rows integer[], reasons text[])
returns table (outcome text, all_signed integer, all_failed integer)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  if exists (select from semantic_credential_batches b where b.id = batch
      and (b.template_id is not null or b.options ->> 'suspendable' = 'true'))
    or exists (select from semantic_credential_batch_rows r
      where r.batch_id = batch and r.row_number = any (signed_rows) and r.input ->> 'suspendable' = 'true') then
    raise exception 'batch % needs a worker of a newer release', batch;
  end if;
  return query select * from record_semantic_credential_chunk(tenant, batch, signed_rows, ids, issuer_ids, credentials,
    proofs, labels, type_names, issued, expires, lists, list_indexes, '{}'::uuid[], '{}'::integer[], null::uuid, null::integer,
    failed_rows, reasons);
end $$;`

/** As in 0008-status-history, whose own is left to the release before, for a credential that may come from a template. */
const RECORD = `
create function record_suspendable_credential(
  tenant uuid, credential_id uuid, issuer uuid, signed json, proof text, label text, type_names text[],
  issued timestamptz, expires timestamptz, list uuid, list_index integer,
  log_id uuid, request uuid, log_metadata json, idempotency text, idempotent_effect bytea,
  second_list uuid, second_index integer, template uuid, version integer) returns text
language plpgsql as $$
declare
  outcome text;
begin
  if template is null then
    outcome := record_semantic_credential(tenant, credential_id, issuer, signed, proof, label, type_names, issued, expires,
      list, list_index, log_id, request, log_metadata, idempotency, idempotent_effect);
  else
    outcome := record_templated_credential(tenant, credential_id, issuer, signed, proof, label, type_names, issued, expires,
      list, list_index, log_id, request, log_metadata, idempotency, idempotent_effect, template, version);
  end if;
  if outcome = 'recorded' then
    update semantic_credentials set suspension_list_id = second_list, suspension_index = second_index
    where id = credential_id;
  end if;
  return outcome;
end $$;`

export class BatchTemplates extends Migration {
  override name = '0009-batch-templates'

  override up() {
    this.addSql([BATCHES, RECORD_CHUNK, RECORD_CHUNK_BEFORE, RECORD].join('\n'))
  }
}
