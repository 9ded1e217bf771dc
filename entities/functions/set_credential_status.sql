-- One status with its history, log entry and idempotent effect, under the credential's row lock: one change after the other.
-- `wanted_format`: the only format whose credentials are found; null finds all.
-- One round trip, and the mark on the list at its end: changes of one list wait for each other's commit, and for the row of
-- the history, which has the list's count after the change: the first published list with that count shows the change.
create or replace function set_credential_status(
  tenant uuid, wanted_credential uuid, wanted_purpose text, wanted boolean,
  log_id uuid, request uuid, log_category text, log_type text, log_metadata json, idempotency text, idempotent_effect bytea,
  wanted_format text)
returns text
language plpgsql as $$
declare
  known credentials%rowtype;
  list uuid;
  list_change integer;
  differs boolean;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into known from credentials
  where id = wanted_credential and tenant_id = tenant and format = coalesce(wanted_format, format) for no key update;
  if not found then return 'not_found'; end if;
  list := case wanted_purpose when 'revocation' then known.status_list_id else known.suspension_list_id end;
  if list is null then return 'no_status'; end if;
  if idempotency is not null then
    update idempotency_keys set effect = idempotent_effect where key = idempotency and effect is null;
    if not found then return 'recorded_before'; end if;
  end if;
  insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
  values (log_id, tenant, log_category, log_type, clock_timestamp(), request, '{}', log_metadata, array[known.id, list]);
  differs := case wanted_purpose when 'revocation' then known.revoked else known.suspended end <> wanted;
  if not differs then return 'unchanged'; end if;
  if wanted_purpose = 'revocation' then
    update credentials set revoked = wanted, status_changed_at = clock_timestamp() where id = known.id;
  else
    update credentials set suspended = wanted, status_changed_at = clock_timestamp() where id = known.id;
  end if;
  update status_lists l set changes = l.changes + 1 where l.id = list returning l.changes into list_change;
  insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at, request_id, list_change)
  values (tenant, known.id, wanted_purpose, wanted, clock_timestamp(), request, list_change);
  return 'changed';
end $$;
