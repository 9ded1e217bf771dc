-- The first change of a signed list, whatever makes it; those that follow pay for a comparison alone.
create or replace function mark_status_list_changed()
returns trigger
language plpgsql as $$
begin
  new.changed_since := clock_timestamp();
  return new;
end $$;
create or replace trigger status_list_changed before update of changes on status_lists for each row
when (old.changed_since is null and old.signed_at is not null and new.changes > old.changes)
execute function mark_status_list_changed();
