-- What an entry of the log says before its place: the beginning of the canonical form (RFC 8785) that its hash covers, as
-- protocol/tokens-logs/chain.ts has it. Members are texts and UUIDs, so that quoting is all there is to it. PostgreSQL puts
-- the expression in the place of the call.
create or replace function log_entry_before(entry logs)
returns text
language sql stable as $$
  select '{"category":' || to_json(entry.category) || ',"data":' || to_json(entry.data::text) || ',"id":"' || entry.id
    || '","metadata":' || to_json(entry.metadata::text) || ',"objectIds":'
    || coalesce(array_to_json(entry.object_ids)::text, 'null') || ',"position":'
$$;
