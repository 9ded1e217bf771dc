import { Migration } from '@mikro-orm/migrations'

/**
 * When the password was set: a reset that was asked for before is good no more. Who sent an invitation: it ends with
 * their account, and is void once they are no administrator. Whether a mail has the token of a registration.
 */
const STANDING = `
alter table accounts add column password_set_at timestamptz not null default now();
alter table account_registrations add column is_mailed boolean not null default true;
alter table organization_invitations add column invited_by uuid references accounts on delete cascade;
create index organization_invitations_inviter on organization_invitations (invited_by) where invited_by is not null;`

export class AdministrationStanding extends Migration {
  override name = '0053-administration-standing'

  override up() {
    this.addSql(STANDING)
  }
}
