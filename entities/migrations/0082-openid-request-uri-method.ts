import { Migration } from '@mikro-orm/migrations'

/** Wallets may post for their requests, where a verifier or a request says so; null: they get them. */
const METHODS = `
alter table oidc_verifiers add column request_uri_method text;
alter table openid_presentations add column request_uri_method text;`

export class OpenIdRequestUriMethod extends Migration {
  override name = '0082-openid-request-uri-method'

  override up() {
    this.addSql(METHODS)
  }
}
