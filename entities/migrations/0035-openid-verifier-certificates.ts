import { Migration } from '@mikro-orm/migrations'

/** Certificates of a verifier, by which wallets know it. */
export class OpenIdVerifierCertificates extends Migration {
  override name = '0035-openid-verifier-certificates'

  override up() {
    this.addSql('alter table oidc_verifiers add column certificate_chain text[]')
  }
}
