import { Migration } from '@mikro-orm/migrations'

/** Answers in a sign-in are counted before they are verified. */
const ATTEMPTS = `alter table oidc_sign_ins add column attempts integer not null default 0`

export class OpenIdSignInAttempts extends Migration {
  override name = '0103-openid-sign-in-attempts'

  override up() {
    this.addSql(ATTEMPTS)
  }
}
