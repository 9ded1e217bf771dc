import { Migration } from '@mikro-orm/migrations'

/**
 * Since when a signed list waits to be signed again, when it may be tried at the earliest, and how often that failed in a
 * row. `changes` leaves the indexes: the many changes of one list then rewrite its row and no index.
 */
const PUBLISHING = `
alter table status_lists
  add column changed_since timestamptz,
  add column publish_after timestamptz not null default '-infinity',
  add column publish_failures integer not null default 0;
alter table status_lists no force row level security;
update status_lists set changed_since = clock_timestamp() where signed_at is not null and changes > published_changes;
alter table status_lists force row level security;
drop index status_lists_changed;
create index status_lists_changed on status_lists (changed_since) where changed_since is not null;`

/** The first change alone, whatever makes it; those that follow pay for a comparison. */
const MARK = `
create function mark_status_list_changed() returns trigger
language plpgsql as $$
begin
  new.changed_since := clock_timestamp();
  return new;
end $$;
create trigger status_list_changed before update of changes on status_lists for each row
when (old.changed_since is null and old.signed_at is not null and new.changes > old.changes)
execute function mark_status_list_changed();`

export class StatusListPublishing extends Migration {
  override name = '0010-status-list-publishing'

  override up() {
    this.addSql([PUBLISHING, MARK].join('\n'))
  }
}
