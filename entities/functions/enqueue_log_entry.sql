-- Whatever writes an entry, the sequencer finds it: the row is written by the entry's own transaction, and waits for nobody.
create or replace function enqueue_log_entry()
returns trigger
language plpgsql as $$
begin
  insert into log_pending (tenant_id, entry_id) values (new.tenant_id, new.id);
  return null;
end $$;
create or replace trigger log_entry_pending after insert on logs for each row execute function enqueue_log_entry();
