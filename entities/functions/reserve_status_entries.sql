-- Gives out the next entries of an issuer's open status list of this epoch, or of a new one where all are full. The issuer
-- is a DID, and an IACA for Token Status Lists, which document signers sign. No row where
-- the database is not known to be the newest: its rows came from elsewhere, or its mark is below the one that the caller
-- knows.
create or replace function reserve_status_entries(
  tenant uuid, issuer uuid, wanted_kind text, wanted_purpose text, proof text, wanted integer,
  new_id uuid, new_size integer, new_key bytea, witnessed integer)
returns table (list_id uuid, first_entry integer, entries integer, list_size integer, list_key bytea)
language plpgsql as $$
declare
  of_iaca boolean := wanted_kind = 'TokenStatusList';
  here platform_epoch%rowtype;
  open_list status_lists%rowtype;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into here from platform_epoch;
  if here.incarnation is distinct from database_incarnation() or here.mark < witnessed then return; end if;
  if of_iaca then
    select * into open_list from status_lists l
    where l.iaca_id = issuer and l.kind = wanted_kind and l.purpose = wanted_purpose and l.proof_type = proof
      and l.epoch = here.epoch and l.used < l.size
    order by l.created_at, l.id limit 1 for update;
  else
    select * into open_list from status_lists l
    where l.did_id = issuer and l.kind = wanted_kind and l.purpose = wanted_purpose and l.proof_type = proof
      and l.epoch = here.epoch and l.used < l.size
    order by l.created_at, l.id limit 1 for update;
  end if;
  if not found then
    insert into status_lists (id, tenant_id, did_id, iaca_id, kind, purpose, proof_type, size, permutation_key, epoch)
    values (new_id, tenant, case when not of_iaca then issuer end, case when of_iaca then issuer end, wanted_kind, wanted_purpose, proof, new_size, new_key, here.epoch)
    returning * into open_list;
  end if;
  update status_lists set used = least(size, used + wanted) where id = open_list.id;
  return query select open_list.id, open_list.used, least(wanted, open_list.size - open_list.used), open_list.size,
    open_list.permutation_key;
end $$;
