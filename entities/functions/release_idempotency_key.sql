create or replace function release_idempotency_key(tenant uuid, wanted text)
returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  delete from idempotency_keys where key = wanted and effect is null;
  update idempotency_keys set locked_until = null where key = wanted;
end $$;
