-- The sequencer: gives waiting entries their places in the chains of their tenants, in the order in which they were
-- written, at most so many. Returns how many waiting rows are settled; -1 while another sequencer is at work. One
-- transaction: a crash leaves the entries waiting. An entry that commits late waits until then, and is chained late;
-- nothing waits for it. Each place is counted in log_counts, by the hour and type of its entry.
--
-- The hash of a place is SHA-256 over the canonical form (RFC 8785) of the entry with its position and the hash before it:
-- log_entry_before.sql and log_entry_behind.sql have the rest of that form.
create or replace function chain_log_entries(at_most integer)
returns integer
language plpgsql
-- a plan that was made while the tables were small is kept: it must not read all of them when they have grown
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  taken record;
  tenant uuid;
  place bigint;
  previous bytea;
  tenants uuid[] := '{}';
  places bigint[] := '{}';
  entries uuid[] := '{}';
  hashes bytea[] := '{}';
  hours timestamptz[] := '{}';
  kinds text[] := '{}';
  settled bigint[] := '{}';
begin
  if not pg_try_advisory_xact_lock(7261938) then return -1; end if;
  for taken in
    select p.id as number, p.tenant_id as owner, l.id as entry_id, l.type as kind,
      date_trunc('hour', l.timestamp, 'UTC') as hour,
      c.position is not null or row_number() over (partition by p.entry_id order by p.id) > 1 as known,
      log_entry_before(l) as before, log_entry_behind(l) as behind
    from (select * from log_pending order by id limit at_most) as p
      left join logs l on l.id = p.entry_id and l.tenant_id = p.tenant_id
      left join log_chain c on c.entry_id = p.entry_id
    order by p.tenant_id, p.id
  loop
    settled := settled || taken.number;
    -- has its place, or there is no such entry
    if taken.known or taken.entry_id is null then continue; end if;
    if taken.owner is distinct from tenant then
      tenant := taken.owner;
      -- behind what was signed, too: where the end of a chain was removed, the gap stays to be seen, and where retention
      -- removed every entry, the chain goes on from its checkpoint
      select ending.position, ending.hash into place, previous from (
        (select c.position, c.hash, 1 as nth from log_chain c where c.tenant_id = tenant order by c.position desc limit 1)
        union all
        (select s.position, s.hash, 2 from log_seals s where s.tenant_id = tenant and s.kind = 'head'
          order by s.position desc limit 1)
        union all
        (select s.position, s.hash, 3 from log_seals s where s.tenant_id = tenant and s.kind = 'checkpoint'
          order by s.position desc limit 1)) as ending
      order by ending.position desc, ending.nth limit 1;
      if not found then
        place := 0;
        previous := decode(repeat('00', 32), 'hex');
      end if;
    end if;
    place := place + 1;
    previous := sha256(convert_to(
      taken.before || place || ',"previousHash":"' || encode(previous, 'hex') || taken.behind, 'UTF8'));
    tenants := tenants || tenant;
    places := places || place;
    entries := entries || taken.entry_id;
    hashes := hashes || previous;
    hours := hours || taken.hour;
    kinds := kinds || taken.kind;
  end loop;
  insert into log_chain (tenant_id, position, entry_id, hash, chained_at)
  select n.tenant_id, n.position, n.entry_id, n.hash, clock_timestamp()
  from unnest(tenants, places, entries, hashes) as n (tenant_id, position, entry_id, hash);
  insert into log_counts (tenant_id, hour, type, count)
  select n.tenant_id, n.hour, n.type, count(*) from unnest(tenants, hours, kinds) as n (tenant_id, hour, type)
  group by 1, 2, 3
  on conflict (tenant_id, hour, type) do update set count = log_counts.count + excluded.count;
  delete from log_pending p where p.id = any (settled);
  return cardinality(settled);
end $$;
