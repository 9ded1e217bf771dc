-- One round trip to claim a key, to find its answer, or to learn why neither may be had. `since`: since when the key is in
-- use. Ids that are derived from a key are derived from that time too, or a key that is used again after its answer was
-- dropped would meet the rows of its first use.
create or replace function claim_idempotency_key(
  tenant uuid, wanted text, hash bytea, lease_seconds integer, kept_hours integer)
returns table (state text, found_effect bytea, found_answer bytea, since timestamptz)
language plpgsql as $$
declare
  known idempotency_keys%rowtype;
begin
  perform set_config('app.tenant', tenant::text, true);
  delete from idempotency_keys where key = wanted and created_at < now() - make_interval(hours => kept_hours);
  insert into idempotency_keys (tenant_id, key, request_hash, locked_until)
  values (tenant, wanted, hash, clock_timestamp() + make_interval(secs => lease_seconds)) on conflict do nothing;
  if found then return query select 'claimed', null::bytea, null::bytea, now(); return; end if;
  select * into known from idempotency_keys where key = wanted for update;
  if not found then return query select 'running', null::bytea, null::bytea, now(); return; end if;
  if known.request_hash <> hash then
    return query select 'differs', null::bytea, null::bytea, known.created_at; return;
  end if;
  if known.answer is not null then
    return query select 'answered', null::bytea, known.answer, known.created_at; return;
  end if;
  if known.locked_until > clock_timestamp() then
    return query select 'running', null::bytea, null::bytea, known.created_at; return;
  end if;
  update idempotency_keys set locked_until = clock_timestamp() + make_interval(secs => lease_seconds) where key = wanted;
  return query select 'claimed', known.effect, null::bytea, known.created_at;
end $$;
