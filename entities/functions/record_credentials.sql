-- Records signed credentials. `rows` are JSON lines, each the columns of a credential by their names; what a row leaves out is
-- null, or has the default below: a new column changes nothing here. `documents` are as many lines, the column of that name,
-- empty where a row has none or has it among its columns, as all have without `documents` (D-1036). With `entries`, JSON lines
-- too: rows of one tenant or several, one after the other, each with its log entry (columns of logs) and the effect of its
-- Idempotency-Key; answers an outcome for each in the order of the rows: recorded, recorded_before (there is a credential with
-- its id), issuer_gone, template_gone. With `wanted`, for record_batch_chunk, which has set the tenant and holds issuers and
-- template by their locks: the rows with these ids as one statement, and no outcomes.
--
-- Lines, because PostgreSQL and the driver read them faster than an array of JSON. Rows of one tenant that come one after the
-- other are judged one by one, and then stored by one statement for the credentials and one for the entries: each statement
-- prepares the checks of the table and the conditions of its indexes anew, which costs more than its row (D-930). A row that
-- comes alone is stored without the detour over a list.
create or replace function record_credentials(
  rows text, entries text default null, keys text[] default null, effects bytea[] default null,
  wanted uuid[] default null, documents text default null)
returns setof text
language plpgsql as $$
declare
  -- what a line leaves out; the document is of one row
  defaults credentials%rowtype;
  lines text[];
  document_lines text[];
  entry_lines text[];
  credential credentials%rowtype;
  entry logs%rowtype;
  tenant uuid;
  issuer uuid;
  first integer;
  place integer := 1;
  outcomes text[];
  ids uuid[];
  sound credentials[];
  made uuid[];
  fresh logs[];
begin
  defaults.revoked := false;
  defaults.suspended := false;
  -- not the time of the transaction, which may have begun long before: a revocation asked for since waits for statements alone
  defaults.created_at := statement_timestamp();
  lines := string_to_array(rows, E'\n');
  document_lines := string_to_array(documents, E'\n');
  if wanted is not null then
    sound := '{}';
    for at in 1 .. cardinality(lines) loop
      defaults.document := nullif(document_lines[at], '')::json;
      credential := json_populate_record(defaults, lines[at]::json);
      if credential.id = any (wanted) then sound := sound || credential; end if;
    end loop;
    insert into credentials select s.* from unnest(sound) as s on conflict (id) do nothing;
    return;
  end if;
  entry_lines := string_to_array(entries, E'\n');
  while place <= cardinality(lines) loop
    first := place;
    issuer := null;
    outcomes := '{}';
    ids := '{}';
    sound := '{}';
    while place <= cardinality(lines) loop
      defaults.document := nullif(document_lines[place], '')::json;
      credential := json_populate_record(defaults, lines[place]::json);
      if place = first then
        tenant := credential.tenant_id;
        perform set_config('app.tenant', tenant::text, true);
      end if;
      exit when credential.tenant_id is distinct from tenant;
      place := place + 1;
      ids := ids || credential.id;
      if credential.template_id is not null then
        perform from semantic_templates t where t.id = credential.template_id and t.deleted_at is null;
        if not found then outcomes := outcomes || 'template_gone'::text; continue; end if;
      end if;
      if credential.document_signer_id is not null then
        perform from mobile_document_signers s join mobile_iacas i on i.id = s.iaca_id
        where s.id = credential.document_signer_id and s.active and s.revoked_at is null and s.deleted_at is null
          and i.active and i.deleted_at is null;
        if not found then outcomes := outcomes || 'issuer_gone'::text; continue; end if;
      elsif credential.did_id is distinct from issuer then
        perform from dids d
        where d.id = credential.did_id and d.deleted_at is null and d.registration_status = 'COMPLETED';
        if not found then outcomes := outcomes || 'issuer_gone'::text; continue; end if;
        issuer := credential.did_id;
      end if;
      outcomes := outcomes || 'recorded'::text;
      sound := sound || credential;
    end loop;
    made := '{}';
    if cardinality(sound) = 1 then
      credential := sound[1];
      insert into credentials values (credential.*) on conflict (id) do nothing;
      if found then made := array[credential.id]; end if;
    elsif cardinality(sound) > 1 then
      with stored as (
        insert into credentials select s.* from unnest(sound) as s on conflict (id) do nothing returning id
      ) select array_agg(stored.id) into made from stored;
    end if;
    fresh := '{}';
    for at in first .. place - 1 loop
      if outcomes[at - first + 1] = 'recorded' then
        if ids[at - first + 1] = any (made) then
          -- of two with one id, the first was stored
          made := array_remove(made, ids[at - first + 1]);
          entry.data := '{}';
          entry.object_ids := null;
          entry.timestamp := clock_timestamp();
          entry := json_populate_record(entry, entry_lines[at]::json);
          fresh := fresh || entry;
          if keys[at] is not null then
            update idempotency_keys k set effect = effects[at] where k.key = keys[at];
          end if;
        else
          outcomes[at - first + 1] := 'recorded_before';
        end if;
      end if;
      return next outcomes[at - first + 1];
    end loop;
    if cardinality(fresh) = 1 then
      insert into logs values (entry.*);
    elsif cardinality(fresh) > 1 then
      insert into logs select f.* from unnest(fresh) as f;
    end if;
  end loop;
end $$;
