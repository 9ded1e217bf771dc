import { Migration } from '@mikro-orm/migrations'

/** Accounts belong to no tenant: the system role alone reads and writes them. `content` is encrypted everywhere. */
const ACCOUNTS = `
create table accounts (
  id uuid primary key, email_index bytea not null unique, content bytea not null, password_hash text,
  is_operator boolean not null default false, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create table account_registrations (
  id uuid primary key, email_index bytea not null, content bytea not null, password_hash text not null,
  token_digest bytea not null unique, expires_at timestamptz not null, created_at timestamptz not null default now());
create index account_registrations_email on account_registrations (email_index);
create index account_registrations_age on account_registrations (expires_at);
create table account_tokens (
  digest bytea primary key, account_id uuid not null references accounts on delete cascade,
  expires_at timestamptz not null, created_at timestamptz not null default now());
create index account_tokens_account on account_tokens (account_id);
create index account_tokens_age on account_tokens (expires_at);`

/** `generation`: of the one refresh token that is good; earlier ones were used. */
const SESSIONS = `
create table account_sessions (
  id uuid primary key, account_id uuid not null references accounts on delete cascade,
  for_tenant uuid references tenants on delete set null, generation integer not null default 0,
  rotated_at timestamptz not null default now(), created_at timestamptz not null default now(),
  expires_at timestamptz not null, ended_at timestamptz);
create index account_sessions_account on account_sessions (account_id, created_at desc, id);
create index account_sessions_tenant on account_sessions (for_tenant) where for_tenant is not null;
create index account_sessions_age on account_sessions (expires_at);
create table account_attempts (
  key bytea primary key, failures integer not null, next_at timestamptz not null,
  last_at timestamptz not null default now());
create index account_attempts_age on account_attempts (last_at);`

const MAILS = `
create table account_mails (
  id uuid primary key, recipient_index bytea not null, kind text not null, content bytea,
  state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'FAILED')), attempts integer not null default 0,
  next_attempt_at timestamptz, request_id uuid not null, created_at timestamptz not null default now(),
  ended_at timestamptz, check ((content is null) = (state <> 'PENDING')));
create index account_mails_recipient on account_mails (recipient_index, created_at);
create index account_mails_age on account_mails (ended_at);
create index account_mails_pending on account_mails (id) where state = 'PENDING';`

export class AdministrationAccounts extends Migration {
  override name = '0039-administration-accounts'

  override up() {
    this.addSql([ACCOUNTS, SESSIONS, MAILS].join('\n'))
  }
}
