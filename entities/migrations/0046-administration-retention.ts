import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const RETENTIONS = `
create table privacy_retentions (
  id uuid primary key, tenant_id uuid not null references tenants,
  inactive_users_days int check (inactive_users_days between 1 and 36500),
  expired_credentials_days int check (expired_credentials_days between 1 and 36500),
  messages_days int check (messages_days between 1 and 36500),
  ended_sessions_days int check (ended_sessions_days between 1 and 90),
  finished_batches_days int check (finished_batches_days between 1 and 36500),
  counts json not null, looked_at timestamptz, last_counts json,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id));`

/** A finished batch whose credentials have no claims any more is not looked at again. */
const BATCHES = `
alter table credential_batches add column content_erased_at timestamptz;
create index credential_batches_kept on credential_batches (tenant_id, ended_at)
  where ended_at is not null and content_erased_at is null;`

/** What is due is found without a look at all rows of the tenant. */
const DUE = `
create index openid_users_age on openid_users (tenant_id, updated_at);
create index inbox_messages_age on inbox_messages (tenant_id, created_at);
create index credential_notifications_ended on credential_notifications (tenant_id, ended_at) where ended_at is not null;`

export class AdministrationRetention extends Migration {
  override name = '0046-administration-retention'

  override up() {
    this.addSql([RETENTIONS, BATCHES, DUE, fence('privacy_retentions')].join('\n'))
  }
}
