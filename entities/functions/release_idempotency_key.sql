-- `forget`: the key may come with another request. Else its time stays, from which ids are derived: what an attempt that failed
-- has committed is met by the next one. An answer stays: a late attempt releases nothing that another one has ended.
create or replace function release_idempotency_key(tenant uuid, wanted text, forget boolean default true)
returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  if forget then delete from idempotency_keys where key = wanted and effect is null and answer is null; end if;
  update idempotency_keys set locked_until = null where key = wanted and answer is null;
end $$;
