-- What an entry of the log says behind the hash of the one before it: the end of its canonical form (log_entry_before.sql).
create or replace function log_entry_behind(entry logs)
returns text
language sql stable as $$
  select '","requestId":"' || entry.request_id || '","tenantId":"' || entry.tenant_id || '","timestamp":"'
    || to_char(entry.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '","type":' || to_json(entry.type)
    || '}'
$$;
