-- One slice of an upload. False: the upload was taken over by a later try, or is over.
create or replace function receive_batch_rows(
  tenant uuid, batch uuid, mine uuid, first_row integer, inputs text[], problems text[], idempotency text)
returns boolean
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  update credential_batches
  set total = first_row - 1 + cardinality(inputs), last_progress_at = clock_timestamp(),
    failed = failed + (select count(*) from unnest(problems) as problem where problem is not null)
  where id = batch and attempt = mine and state = 'RECEIVING';
  if not found then return false; end if;
  insert into credential_batch_rows (batch_id, row_number, tenant_id, state, input, errors)
  select batch, first_row - 1 + place, tenant, case when problem is null then 'pending' else 'failed' end,
    input::json, problem::json
  from unnest(inputs, problems) with ordinality as given (input, problem, place);
  if idempotency is not null then
    update idempotency_keys set locked_until = clock_timestamp() + interval '30 seconds' where key = idempotency;
  end if;
  return true;
end $$;
