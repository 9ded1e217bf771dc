-- Names the database that rows stand in. A dump is restored into tables with other numbers, mostly in another cluster; a
-- standby that was promoted, or a recovery to a point in time, begins another timeline. A service that does not tell cluster
-- and timeline leaves the numbers.
create or replace function database_incarnation()
returns text
language plpgsql stable as $$
declare
  numbers text := (select d.oid from pg_database d where d.datname = current_database()) || '/' || 'platform_epoch'::regclass::oid;
begin
  return (select c.system_identifier from pg_control_system() c) || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
    || '/' || numbers;
exception when insufficient_privilege or undefined_function or feature_not_supported then
  return numbers;
end $$;
