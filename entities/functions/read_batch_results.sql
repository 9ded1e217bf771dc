-- A page of the credentials that a batch leaves to download; one that is bytes is shown in base64url, and one
-- in an envelope as the object that has the envelope (VC Data Model 2.0, section 4.12).
create or replace function read_batch_results(tenant uuid, batch uuid, after_row integer, at_once integer)
returns table (row_number integer, id uuid, document text)
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  return query select r.row_number, c.id, case when c.envelope is not null
    then json_build_object('@context', 'https://www.w3.org/ns/credentials/v2', 'id', c.envelope,
      'type', 'EnvelopedVerifiableCredential')::text else coalesce(c.document::text,
      json_build_object('encoded', translate(encode(c.document_bytes, 'base64'), E'+/=\n', '-_'))::text) end
    from credential_batch_rows r join credentials c on c.id = r.credential_id
    where r.batch_id = batch and r.row_number > after_row and c.erased_at is null order by r.row_number limit at_once;
end $$;
