-- A page of the credentials that a batch leaves to download; one that is bytes is shown in base64url.
create or replace function read_batch_results(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (row_number integer, id uuid, document text)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  return query select r.row_number, c.id, coalesce(c.document::text,
      json_build_object('encoded', translate(encode(c.document_bytes, 'base64'), E'+/=\n', '-_'))::text)
    from credential_batch_rows r join credentials c on c.id = r.credential_id
    where r.batch_id = batch and r.row_number > after_row and c.erased_at is null order by r.row_number limit at_once;
end $$;
