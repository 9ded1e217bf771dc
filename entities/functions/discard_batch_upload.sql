-- Takes rows of an upload away. True: there are more. `mine` null: whichever try fills it.
create or replace function discard_batch_upload(
  tenant uuid, batch uuid, mine uuid, at_once integer, keep_batch boolean)
returns boolean
language plpgsql as $$
declare
  dropped integer;
begin
  perform set_config('app.tenant', tenant::text, true);
  perform 1 from credential_batches
  where id = batch and state = 'RECEIVING' and attempt = coalesce(mine, attempt) for update;
  if not found then return false; end if;
  delete from credential_batch_rows where ctid = any (array(
    select r.ctid from credential_batch_rows r where r.batch_id = batch limit at_once));
  get diagnostics dropped = row_count;
  if dropped = at_once then return true; end if;
  if not keep_batch then delete from credential_batches where id = batch; end if;
  return false;
end $$;
