-- A page of the rows of a batch that were refused.
create or replace function read_batch_errors(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (row_number integer, errors json)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  return query select r.row_number, r.errors from credential_batch_rows r
    where r.batch_id = batch and r.row_number > after_row and r.state = 'failed' order by r.row_number limit at_once;
end $$;
