import { Migration } from '@mikro-orm/migrations'

const FORMATS = `('semantic', 'compact', 'compact-semantic', 'mobile', 'sd-jwt-vc')`

/** Credentials of one more format, and templates of it. */
const TABLES = `
alter table credentials drop constraint credentials_format_check;
alter table credentials add constraint credentials_format_check check (format in ${FORMATS});
alter table semantic_templates drop constraint semantic_templates_format_check;
alter table semantic_templates add constraint semantic_templates_format_check check (format in ${FORMATS});`

/** How such credentials name a participant: by its DID, or by its https address. */
const ECOSYSTEMS = `
alter table ecosystem_participants add column sd_jwt_vc text;
alter table ecosystem_credentials drop constraint ecosystem_credentials_profile_check;
alter table ecosystem_credentials add constraint ecosystem_credentials_profile_check
  check (profile in ('web-semantic', 'compact', 'compact-semantic', 'mobile', 'sd-jwt-vc'));`

export class SdJwtCredentials extends Migration {
  override name = '0060-sd-jwt-credentials'

  override up() {
    this.addSql([TABLES, ECOSYSTEMS].join('\n'))
  }
}
