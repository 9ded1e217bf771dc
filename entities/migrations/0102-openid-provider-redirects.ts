import { Migration } from '@mikro-orm/migrations'

/** Providers of before have no addresses: their wallets name those on the holder's device, or are registered (D-1051). */
const REDIRECTS = `alter table openid_wallet_providers add redirect_uris text[] not null default '{}';`

export class OpenIdProviderRedirects extends Migration {
  override name = '0102-openid-provider-redirects'

  override up() {
    this.addSql(REDIRECTS)
  }
}
