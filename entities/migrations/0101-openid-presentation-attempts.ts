import { Migration } from '@mikro-orm/migrations'

/** Answers to a request are counted before they are verified. */
const ATTEMPTS = `alter table openid_presentations add column attempts integer not null default 0`

export class OpenIdPresentationAttempts extends Migration {
  override name = '0101-openid-presentation-attempts'

  override up() {
    this.addSql(ATTEMPTS)
  }
}
