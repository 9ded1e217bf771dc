-- A page of the rows of a batch that were refused. With `most_bytes` it ends with the row that reaches so many bytes.
create or replace function read_batch_errors(tenant uuid, batch uuid, after_row integer, at_once integer,
  most_bytes integer default null)
returns table (row_number integer, errors json)
language plpgsql as $$
declare
  held bigint := 0;
begin
  perform set_config('app.tenant', tenant::text, true);
  for row_number, errors in select r.row_number, r.errors from credential_batch_rows r
    where r.batch_id = batch and r.row_number > after_row and r.state = 'failed' order by r.row_number limit at_once
  loop
    return next;
    held := held + octet_length(errors::text);
    exit when held >= most_bytes;
  end loop;
end $$;
