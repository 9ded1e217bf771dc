import { Migration } from '@mikro-orm/migrations'

/** Newest first: acceptances of everybody and of one policy, and erasures of a tenant. */
const LISTS = `
create index legal_acceptances_list on legal_acceptances (accepted_at desc, id);
create index legal_acceptances_policy on legal_acceptances (policy_id, accepted_at desc, id);
create index erasures_list on erasures (tenant_id, created_at desc, id);`

export class AdministrationLists extends Migration {
  override name = '0054-administration-lists'

  override up() {
    this.addSql(LISTS)
  }
}
