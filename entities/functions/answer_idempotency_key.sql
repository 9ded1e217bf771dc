-- The first answer stays: a late attempt, which another one has taken the place of, may have met what that one left.
create or replace function answer_idempotency_key(tenant uuid, wanted text, first_answer bytea)
returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  update idempotency_keys set answer = first_answer, locked_until = null where key = wanted and answer is null;
end $$;
