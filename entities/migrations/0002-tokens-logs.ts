import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const TOKENS_LOGS = `
create table platform_keys (
  id uuid primary key, key_type text not null, public_key bytea not null, created_at timestamptz not null default now());
create table logs (
  id uuid primary key, tenant_id uuid not null, category text not null, type text not null, timestamp timestamptz not null,
  request_id uuid not null, data json not null, metadata json not null);
create index logs_time on logs (tenant_id, timestamp desc, id);
create index logs_request on logs (tenant_id, request_id);`

export class TokensLogs extends Migration {
  override name = '0002-tokens-logs'

  override up() {
    this.addSql([TOKENS_LOGS, fence('logs')].join('\n'))
  }
}
