import { Migration } from '@mikro-orm/migrations'

/**
 * One message per credential, recipient and change of the status: the index decides, not a look before. What was sent before
 * has no change, and stands in nobody's way. A digest keeps long DIDs inside PostgreSQL's limit on an index row. The further
 * indexes are for the limits per recipient and per host.
 */
const LIMITS = `
alter table credential_notifications add column status_change bigint, add column recipient_host text;
create unique index credential_notifications_once
  on credential_notifications (tenant_id, credential_id, md5(recipient), status_change);
create index credential_notifications_recipient on credential_notifications (tenant_id, md5(recipient), created_at);
create index credential_notifications_host on credential_notifications (tenant_id, recipient_host, created_at)
  where recipient_host is not null;
create index credential_notifications_waiting on credential_notifications (tenant_id, recipient_host)
  where recipient_host is not null and state = 'PENDING';`

export class NotificationLimits extends Migration {
  override name = '0015-notification-limits'

  override up() {
    this.addSql(LIMITS)
  }
}
