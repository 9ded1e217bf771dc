import { Migration } from '@mikro-orm/migrations'

/** One-time codes of accounts (RFC 6238). `last_step`: of the last code that was used, which no earlier one follows. */
const CODES = `
create table account_authenticators (
  account_id uuid primary key references accounts on delete cascade, secret bytea not null, confirmed_at timestamptz,
  last_step bigint, created_at timestamptz not null default now());
create table account_recovery_codes (
  account_id uuid not null references account_authenticators on delete cascade, digest bytea not null,
  primary key (account_id, digest));`

export class AdministrationCodes extends Migration {
  override name = '0041-administration-codes'

  override up() {
    this.addSql(CODES)
  }
}
