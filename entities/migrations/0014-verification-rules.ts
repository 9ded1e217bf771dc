import { Migration } from '@mikro-orm/migrations'

/** What a verifier insists on: whose answer a presentation is, and whose word the meaning of its terms. */
const RULES = `
alter table tenants
  add column require_challenge boolean not null default false,
  add column require_domain boolean not null default false;
alter table presentation_templates add column trusted_contexts json;
alter table presentation_requests add column trusted_contexts json;`

export class VerificationRules extends Migration {
  override name = '0014-verification-rules'

  override up() {
    this.addSql(RULES)
  }
}
