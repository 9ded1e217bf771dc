import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * `changed_since`: since when a signed list waits to be signed again; `publish_after`: when that may be tried at the
 * earliest; `publish_failures`: how often it failed in a row. `changes` is in no index: the many changes of one list
 * rewrite its row and no index. A list gives out entries in its own epoch alone (platform_epoch).
 */
const STATUS_LISTS = `
create table status_lists (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null,
  kind text not null check (kind in ('RevocationList2020', 'BitstringStatusList')),
  purpose text not null check (purpose in ('revocation', 'suspension')), proof_type text not null,
  size integer not null, used integer not null default 0 check (used between 0 and size), permutation_key bytea not null,
  changes integer not null default 0, published_changes integer not null default 0, signed json, etag text,
  signed_at timestamptz, valid_until timestamptz, created_at timestamptz not null default now(),
  changed_since timestamptz, publish_after timestamptz not null default '-infinity',
  publish_failures integer not null default 0, epoch integer not null default 0, unique (tenant_id, id));
create index status_lists_open on status_lists (tenant_id, did_id, kind, purpose, proof_type, epoch) where used < size;
create index status_lists_changed on status_lists (changed_since) where changed_since is not null;
create index status_lists_valid on status_lists (valid_until);`

/**
 * The credentials of every format. The document is as it was issued: JSON, or bytes. The second entry, of a credential
 * that may be suspended, is empty for nearly every credential, and its indexes do not know those.
 */
const CREDENTIALS = `
create table credentials (
  id uuid primary key, tenant_id uuid not null, did_id uuid not null,
  format text not null check (format in ('semantic', 'compact', 'compact-semantic', 'mobile')),
  document json, document_bytes bytea, proof_type text not null, tag text, types text[] not null,
  issuance_date timestamptz not null, expiration_date timestamptz,
  status_list_id uuid, status_index integer, revoked boolean not null default false,
  suspension_list_id uuid, suspension_index integer, suspended boolean not null default false,
  status_changed_at timestamptz, template_id uuid, template_version integer,
  created_at timestamptz not null default now(),
  check (num_nonnulls(document, document_bytes) = 1),
  check ((template_id is null) = (template_version is null)),
  check ((suspension_list_id is null) = (suspension_index is null)),
  check (suspension_list_id is null or status_list_id is not null),
  unique (status_list_id, status_index),
  foreign key (tenant_id, status_list_id) references status_lists (tenant_id, id),
  foreign key (tenant_id, suspension_list_id) references status_lists (tenant_id, id));
create index credentials_list on credentials (tenant_id, created_at desc, id);
create index credentials_tag on credentials (tenant_id, tag, created_at desc) where tag is not null;
create index credentials_types on credentials using gin (types);
create index credentials_revoked on credentials (status_list_id) where revoked;
create index credentials_template on credentials (tenant_id, template_id, created_at) where template_id is not null;
create unique index credentials_suspension on credentials (suspension_list_id, suspension_index)
  where suspension_list_id is not null;
create index credentials_suspended on credentials (suspension_list_id) where suspended;`

const HISTORY = `
create table credential_status_changes (
  id bigint generated always as identity, tenant_id uuid not null references tenants,
  credential_id uuid not null references credentials,
  purpose text not null check (purpose in ('revocation', 'suspension')), value boolean not null,
  changed_at timestamptz not null, request_id uuid, primary key (credential_id, id));`

/** `pass` and `cursor_*`: how far revoke_credential_slice has come. */
const REVOCATIONS = `
create table credential_revocations (
  id uuid primary key, tenant_id uuid not null references tenants,
  scope text not null check (scope in ('template', 'batch', 'issuer')), subject text not null,
  state text not null default 'REVOKING' check (state in ('REVOKING', 'REVOKED')),
  checked integer not null default 0, revoked integer not null default 0,
  pass integer not null default 1, cursor_id uuid, cursor_time timestamptz, cursor_number integer,
  request_id uuid not null, client_id text not null,
  created_at timestamptz not null default clock_timestamp(), ended_at timestamptz);
create index credential_revocations_subject on credential_revocations (tenant_id, subject);
create index credential_revocations_under_way on credential_revocations (id) where state = 'REVOKING';`

/**
 * One message per credential, recipient and change of the status: the index decides, not a look before. A digest keeps
 * long DIDs inside PostgreSQL's limit on an index row. The further indexes are for the limits per recipient and per host.
 */
const NOTIFICATIONS = `
create table credential_notifications (
  id uuid primary key, tenant_id uuid not null references tenants,
  credential_id uuid not null references credentials, recipient text not null, recipient_host text, status_change bigint,
  sender text not null, message json not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'NO_SERVICE', 'FAILED')),
  reason text, request_id uuid not null, client_id text not null,
  created_at timestamptz not null default now(), ended_at timestamptz);
create index credential_notifications_credential on credential_notifications (credential_id, created_at);
create index credential_notifications_under_way on credential_notifications (id) where state = 'PENDING';
create unique index credential_notifications_once
  on credential_notifications (tenant_id, credential_id, md5(recipient), status_change);
create index credential_notifications_recipient on credential_notifications (tenant_id, md5(recipient), created_at);
create index credential_notifications_host on credential_notifications (tenant_id, recipient_host, created_at)
  where recipient_host is not null;
create index credential_notifications_waiting on credential_notifications (tenant_id, recipient_host)
  where recipient_host is not null and state = 'PENDING';`

/** A batch keeps the version of the template that it began with; `template_gone`: it goes on although that was deleted. */
const BATCHES = `
create table credential_batches (
  id uuid primary key, tenant_id uuid not null references tenants, attempt uuid not null,
  format text not null, source text not null check (source in ('jsonl', 'csv')),
  state text not null check (state in ('RECEIVING', 'PROCESSING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
  options json not null, issuers text[] not null default '{}',
  template_id uuid, template_version integer, template_gone boolean not null default false,
  total integer not null default 0, signed integer not null default 0, failed integer not null default 0,
  pause_code text, pause_message text, waiting_for text, waiting_since timestamptz,
  request_id uuid not null, client_id uuid not null, body_sha256 bytea,
  resumed_at timestamptz, resumed_done integer not null default 0, last_progress_at timestamptz, ended_at timestamptz,
  discarded_at timestamptz, revocation text check (revocation in ('REVOKING', 'REVOKED')),
  revoked integer not null default 0, created_at timestamptz not null default now(),
  unique (tenant_id, id), check (signed + failed <= total), check ((template_id is null) = (template_version is null)));
create index credential_batches_list on credential_batches (tenant_id, created_at desc, id);
create index credential_batches_left on credential_batches (last_progress_at) where state = 'RECEIVING';
create index credential_batches_under_way on credential_batches (id)
  where state in ('PROCESSING', 'PAUSED', 'CANCELLED') and discarded_at is null;
create table credential_batch_rows (
  batch_id uuid not null, row_number integer not null, tenant_id uuid not null,
  state text not null check (state in ('pending', 'signed', 'failed')), input json, errors json, credential_id uuid,
  primary key (batch_id, row_number), check ((state = 'signed') = (credential_id is not null)),
  foreign key (tenant_id, batch_id) references credential_batches (tenant_id, id) on delete cascade);
create index credential_batch_rows_failed on credential_batch_rows (batch_id, row_number) where state = 'failed';`

const OWNED = [
  'status_lists',
  'credentials',
  'credential_status_changes',
  'credential_revocations',
  'credential_notifications',
  'credential_batches',
  'credential_batch_rows',
]

export class Credentials extends Migration {
  override name = '0004-credentials'

  override up() {
    this.addSql([STATUS_LISTS, CREDENTIALS, HISTORY, REVOCATIONS, NOTIFICATIONS, BATCHES].join('\n'))
    this.addSql(OWNED.map((table) => fence(table)).join('\n'))
  }
}
