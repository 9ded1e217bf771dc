import { Migration } from '@mikro-orm/migrations'

/** Providers of before vouch for each of their wallets, as with an empty list. */
const CLIENTS = `alter table openid_wallet_providers add client_ids text[] not null default '{}';`

export class OpenIdProviderClients extends Migration {
  override name = '0085-openid-provider-clients'

  override up() {
    this.addSql(CLIENTS)
  }
}
