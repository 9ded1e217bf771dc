import { Migration } from '@mikro-orm/migrations'

/** Wallets answer through the browser that asks, too. */
const WAYS = `
alter table openid_presentations drop constraint openid_presentations_answered_by_check;
alter table openid_presentations add constraint openid_presentations_answered_by_check
  check (answered_by in ('other', 'same', 'browser'));`

export class OpenIdPresentationsBrowser extends Migration {
  override name = '0062-openid-presentations-browser'

  override up() {
    this.addSql(WAYS)
  }
}
