-- No role removes an entry, or its place in the chain, but below a checkpoint: retention signs one before it removes. The
-- log of a deleted tenant goes with the tenant.
create or replace function keep_log_entry()
returns trigger
language plpgsql as $$
declare
  place bigint;
begin
  perform from deleted_tenants d where d.id = old.tenant_id;
  if found then return old; end if;
  if tg_table_name = 'log_chain' then
    place := old.position;
  else
    select c.position into place from log_chain c where c.entry_id = old.id;
  end if;
  perform from log_seals s
  where s.tenant_id = old.tenant_id and s.kind = 'checkpoint' and s.position >= place;
  if not found then
    raise exception 'an entry of the log is removed by retention alone' using errcode = 'insufficient_privilege';
  end if;
  return old;
end $$;
create or replace trigger log_entry_kept before delete on logs for each row execute function keep_log_entry();
create or replace trigger log_place_kept before delete on log_chain for each row execute function keep_log_entry();
