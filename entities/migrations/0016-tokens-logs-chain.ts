import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * log_pending: entries that have no place in their tenant's chain yet, by a trigger of logs. log_chain: the place of each
 * entry, and the hash over the place before it and the entry. log_seals: signed heads of the chain, and signed
 * checkpoints, up to which retention removed. log_keys: keys that sign both; they belong to no tenant.
 */
const CHAIN = `
create table log_pending (
  id bigint generated always as identity, tenant_id uuid not null, entry_id uuid not null, primary key (id, tenant_id));
create table log_chain (
  tenant_id uuid not null, position bigint not null check (position > 0), entry_id uuid not null unique,
  hash bytea not null check (length(hash) = 32), chained_at timestamptz not null,
  primary key (tenant_id, position));
create table log_seals (
  tenant_id uuid not null, kind text not null check (kind in ('head', 'checkpoint')), position bigint not null,
  hash bytea not null check (length(hash) = 32), key_id uuid not null, signed_at timestamptz not null, jws text not null,
  primary key (tenant_id, kind, position));
create table log_keys (
  id uuid primary key, public_key bytea not null, created_at timestamptz not null default now());
alter table tenants add column log_retention_days integer check (log_retention_days between 1 and 36500);`

/** Entries of earlier releases get their places in the order of their times. Row-level security holds for the owner too. */
const FORMER = `
alter table logs no force row level security;
insert into log_pending (tenant_id, entry_id) select tenant_id, id from logs order by timestamp, id;
alter table logs force row level security;`

export class TokensLogsChain extends Migration {
  override name = '0016-tokens-logs-chain'

  override up() {
    this.addSql([CHAIN, FORMER, fence('log_pending'), fence('log_chain'), fence('log_seals')].join('\n'))
  }
}
