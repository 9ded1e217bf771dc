create or replace function answer_idempotency_key(tenant uuid, wanted text, first_answer bytea)
returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  update idempotency_keys set answer = first_answer, locked_until = null where key = wanted;
end $$;
