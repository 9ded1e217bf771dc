import { Migration } from '@mikro-orm/migrations'

/** Pages of the platform show requests, each to one browser. */
const PAGES = `
alter table openid_presentations add column page_digest bytea, add column browser_digest bytea;
create unique index openid_presentations_page on openid_presentations (tenant_id, page_digest)
  where page_digest is not null;`

export class OpenIdPresentationsPages extends Migration {
  override name = '0070-openid-presentations-pages'

  override up() {
    this.addSql(PAGES)
  }
}
