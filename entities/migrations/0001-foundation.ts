import { Migration } from '@mikro-orm/migrations'

const ADMINISTRATION = `
create table environments (
  id uuid primary key, name text not null, domain text not null, authorization_server_domain text not null,
  deployment_model text not null check (deployment_model in ('public', 'private')), region json not null,
  created_at timestamptz not null default now());
create table tenants (
  id uuid primary key, environment_id uuid not null references environments, name text not null,
  subdomain text not null unique, is_first boolean not null default false, created_at timestamptz not null default now());
create unique index tenants_first on tenants (is_first) where is_first;
create table oauth2_clients (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, description text not null,
  secret_hash bytea not null, scopes text[] not null, created_at timestamptz not null default now());
create index oauth2_clients_tenant on oauth2_clients (tenant_id, created_at);
create table domains (
  id uuid primary key, tenant_id uuid not null references tenants, name text not null, domain text not null,
  verification_token text not null, is_verified boolean not null default false, verified_at timestamptz,
  created_at timestamptz not null default now());
create unique index domains_verified on domains (domain) where is_verified;`

const KEYS_AND_DIDS = `
create table dids (
  id uuid primary key, tenant_id uuid not null references tenants, did text not null,
  method text not null check (method in ('KEY', 'WEB')),
  registration_status text not null check (registration_status in ('PROCESSING', 'COMPLETED', 'FAILED')),
  failure_reason text, document json not null, hosting text not null check (hosting in ('platform', 'caller', 'none')),
  host text, path text, deleted_at timestamptz, created_at timestamptz not null default now(), unique (tenant_id, id));
create unique index dids_live on dids (tenant_id, did) where deleted_at is null;
create unique index dids_hosted on dids (host, path) where hosting = 'platform' and deleted_at is null;
create index dids_list on dids (tenant_id, created_at desc, id);
create table keys (
  id uuid primary key, tenant_id uuid not null, did_id uuid,
  key_type text not null check (key_type in ('ed25519', 'p256', 'bls12381g2', 'x25519')),
  custody text check (custody in ('hardened', 'software')), public_key bytea, did_url text,
  created_at timestamptz not null default now(), foreign key (tenant_id, did_id) references dids (tenant_id, id));
create index keys_did on keys (tenant_id, did_id);
create index keys_unowned on keys (created_at) where did_id is null;
create table key_envelopes (
  key_id uuid primary key, tenant_id uuid not null, key_type text not null, public_key bytea not null,
  envelope bytea not null, created_at timestamptz not null default now());`

const CREDENTIALS = `
create table status_lists (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null,
  kind text not null check (kind in ('RevocationList2020', 'BitstringStatusList')),
  purpose text not null check (purpose in ('revocation', 'suspension')), proof_type text not null,
  size integer not null, used integer not null default 0 check (used between 0 and size), permutation_key bytea not null,
  changes integer not null default 0, published_changes integer not null default 0, signed json, etag text, signed_at timestamptz, valid_until timestamptz,
  created_at timestamptz not null default now(), unique (tenant_id, id));
create index status_lists_open on status_lists (tenant_id, did_id, kind, purpose, proof_type) where used < size;
create index status_lists_changed on status_lists (id) where changes > published_changes;
create index status_lists_valid on status_lists (valid_until);
create table semantic_credentials (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null, credential json not null, proof_type text not null,
  tag text, types text[] not null, issuance_date timestamptz not null, expiration_date timestamptz,
  status_list_id uuid, status_index integer, revoked boolean not null default false, status_changed_at timestamptz,
  created_at timestamptz not null default now(), unique (status_list_id, status_index),
  foreign key (tenant_id, status_list_id) references status_lists (tenant_id, id));
create index semantic_credentials_list on semantic_credentials (tenant_id, created_at desc, id);
create index semantic_credentials_tag on semantic_credentials (tenant_id, tag, created_at desc) where tag is not null;
create index semantic_credentials_types on semantic_credentials using gin (types);
create index semantic_credentials_revoked on semantic_credentials (status_list_id) where revoked;
create table jsonld_contexts (
  id uuid primary key, tenant_id uuid not null references tenants, url text not null, sha256 text not null,
  document text not null, source text not null check (source in ('registered', 'fetched')),
  created_at timestamptz not null default now(), unique (tenant_id, url));`

const FRAME = `
create table logs (
  id uuid primary key, tenant_id uuid not null, category text not null, type text not null, timestamp timestamptz not null,
  request_id uuid not null, data json not null, metadata json not null);
create index logs_time on logs (tenant_id, timestamp desc, id);
create index logs_request on logs (tenant_id, request_id);
create table outbox (
  id uuid primary key, tenant_id uuid not null, area text not null, object_id text not null, workflow_type text not null,
  workflow_id text not null unique, summary text not null, payload bytea not null, attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(), last_error text, started_at timestamptz,
  created_at timestamptz not null default now());
create index outbox_waiting on outbox (next_attempt_at) where started_at is null;
create table idempotency_keys (
  tenant_id uuid not null, key text not null, request_hash bytea not null, locked_until timestamptz, effect bytea,
  answer bytea, created_at timestamptz not null default now(), primary key (tenant_id, key));
create index idempotency_keys_age on idempotency_keys (created_at);
create table platform_keys (
  id uuid primary key, key_type text not null, public_key bytea not null, created_at timestamptz not null default now());
create table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint);`

/** One round trip to claim a key, to find its answer, or to learn why neither may be had. */
const IDEMPOTENCY = `
create function claim_idempotency_key(tenant uuid, wanted text, hash bytea, lease_seconds integer, kept_hours integer)
returns table (state text, found_effect bytea, found_answer bytea)
language plpgsql as $$
declare
  known idempotency_keys%rowtype;
begin
  perform set_config('app.tenant', tenant::text, true);
  delete from idempotency_keys where key = wanted and created_at < now() - make_interval(hours => kept_hours);
  insert into idempotency_keys (tenant_id, key, request_hash, locked_until)
  values (tenant, wanted, hash, clock_timestamp() + make_interval(secs => lease_seconds)) on conflict do nothing;
  if found then return query select 'claimed', null::bytea, null::bytea; return; end if;
  select * into known from idempotency_keys where key = wanted for update;
  if not found then return query select 'running', null::bytea, null::bytea; return; end if;
  if known.request_hash <> hash then return query select 'differs', null::bytea, null::bytea; return; end if;
  if known.answer is not null then return query select 'answered', null::bytea, known.answer; return; end if;
  if known.locked_until > clock_timestamp() then return query select 'running', null::bytea, null::bytea; return; end if;
  update idempotency_keys set locked_until = clock_timestamp() + make_interval(secs => lease_seconds) where key = wanted;
  return query select 'claimed', known.effect, null::bytea;
end $$;
create function answer_idempotency_key(tenant uuid, wanted text, first_answer bytea) returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  update idempotency_keys set answer = first_answer, locked_until = null where key = wanted;
end $$;
create function release_idempotency_key(tenant uuid, wanted text) returns void
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  delete from idempotency_keys where key = wanted and effect is null;
  update idempotency_keys set locked_until = null where key = wanted;
end $$;`

/** Gives out the next entries of an issuer's open status list, or of a new one where all are full. */
const STATUS_ENTRIES = `
create function reserve_status_entries(
  tenant uuid, issuer uuid, wanted_kind text, wanted_purpose text, proof text, wanted integer,
  new_id uuid, new_size integer, new_key bytea)
returns table (list_id uuid, first_entry integer, entries integer, list_size integer, list_key bytea)
language plpgsql as $$
declare
  open_list status_lists%rowtype;
begin
  perform set_config('app.tenant', tenant::text, true);
  select * into open_list from status_lists
  where did_id = issuer and kind = wanted_kind and purpose = wanted_purpose and proof_type = proof and used < size
  order by created_at, id limit 1 for update;
  if not found then
    insert into status_lists (id, tenant_id, did_id, kind, purpose, proof_type, size, permutation_key)
    values (new_id, tenant, issuer, wanted_kind, wanted_purpose, proof, new_size, new_key)
    returning * into open_list;
  end if;
  update status_lists set used = least(size, used + wanted) where id = open_list.id;
  return query select open_list.id, open_list.used, least(wanted, open_list.size - open_list.used), open_list.size,
    open_list.permutation_key;
end $$;`

/** One round trip for a signed credential, its log entry and its idempotent effect; the checks stay with the rows. */
const RECORD = `
create function record_semantic_credential(
  tenant uuid, credential_id uuid, issuer uuid, signed json, proof text, label text, type_names text[],
  issued timestamptz, expires timestamptz, list uuid, list_index integer,
  log_id uuid, request uuid, log_metadata json, idempotency text, idempotent_effect bytea) returns text
language plpgsql as $$
begin
  perform set_config('app.tenant', tenant::text, true);
  perform 1 from dids where id = issuer and deleted_at is null and registration_status = 'COMPLETED';
  if not found then return 'issuer_gone'; end if;
  insert into semantic_credentials (id, tenant_id, did_id, credential, proof_type, tag, types, issuance_date,
    expiration_date, status_list_id, status_index)
  values (credential_id, tenant, issuer, signed, proof, label, type_names, issued, expires, list, list_index)
  on conflict (id) do nothing;
  if not found then return 'recorded_before'; end if;
  insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
  values (log_id, tenant, 'credential-web-semantic', 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS', clock_timestamp(), request,
    '{}', log_metadata);
  if idempotency is not null then
    update idempotency_keys set effect = idempotent_effect where key = idempotency;
  end if;
  return 'recorded';
end $$;`

const OWNED = [
  'oauth2_clients',
  'domains',
  'dids',
  'keys',
  'key_envelopes',
  'status_lists',
  'semantic_credentials',
  'jsonld_contexts',
  'logs',
  'outbox',
  'idempotency_keys',
]

/** Forced: the tables' owner is held by it too. nullif, because a pooled connection keeps '' after a transaction. */
const fence = (table: string, column: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (${column} = nullif(current_setting('app.tenant', true), '')::uuid);`

export class Foundation extends Migration {
  override name = '0001-foundation'

  override up() {
    this.addSql([ADMINISTRATION, KEYS_AND_DIDS, CREDENTIALS, FRAME, IDEMPOTENCY, STATUS_ENTRIES, RECORD].join('\n'))
    this.addSql([fence('tenants', 'id'), ...OWNED.map((table) => fence(table, 'tenant_id'))].join('\n'))
  }
}
