import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/**
 * Messages on their way to a service elsewhere. The content, an address and an envelope that is encrypted to its
 * recipient, is sealed. The row goes when the delivery ends: the log has what became of it.
 */
const SENT = `
create table sent_messages (
  id uuid primary key, tenant_id uuid not null references tenants, content bytea not null,
  attempts integer not null default 0, next_attempt_at timestamptz, request_id uuid not null, client_id uuid not null,
  created_at timestamptz not null default now());
alter table sent_messages alter column content set storage external;
create index sent_messages_waiting on sent_messages (tenant_id, created_at);`

export class Sending extends Migration {
  override name = '0019-sending'

  override up() {
    this.addSql([SENT, fence('sent_messages')].join('\n'))
  }
}
