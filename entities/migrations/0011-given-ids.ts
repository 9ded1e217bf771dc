import { Migration } from '@mikro-orm/migrations'

/**
 * Finds a credential by the id that its caller gave it. Most have the id that they get here and stay out of the index, which
 * their text tells without being parsed; a digest keeps long ids inside PostgreSQL's limit on an index row.
 */
const GIVEN_IDS = `
create index semantic_credentials_given_id on semantic_credentials (tenant_id, md5(credential ->> 'id'))
  where strpos(credential::text, '"id":"urn:uuid:' || id::text || '"') = 0;`

export class GivenIds extends Migration {
  override name = '0011-given-ids'

  override up() {
    this.addSql(GIVEN_IDS)
  }
}
