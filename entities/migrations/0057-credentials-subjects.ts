import { Migration } from '@mikro-orm/migrations'

/**
 * Keyed digests of a credential's subjects; null: it is not indexed yet, or has a document without subjects. Each place has
 * an index of its own, as the types have (0013). The last index is empty when all of earlier releases are indexed, which
 * the hourly maintenance does: the key is not the database's.
 */
const SUBJECTS = `
alter table credentials add column subjects bytea[];
create index credentials_subject_1 on credentials (tenant_id, (subjects[1]), created_at desc) where subjects[1] is not null;
create index credentials_subject_2 on credentials (tenant_id, (subjects[2]), created_at desc) where subjects[2] is not null;
create index credentials_subject_3 on credentials (tenant_id, (subjects[3]), created_at desc) where subjects[3] is not null;
create index credentials_subject_4 on credentials (tenant_id, (subjects[4]), created_at desc) where subjects[4] is not null;
create index credentials_subject_5 on credentials (tenant_id, created_at desc) where subjects[5] is not null;
create index credentials_subjects_missing on credentials (id)
  where subjects is null and erased_at is null and document is not null;`

export class CredentialsSubjects extends Migration {
  override name = '0057-credentials-subjects'

  override up() {
    this.addSql(SUBJECTS)
  }
}
