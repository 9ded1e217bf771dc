import { Migration } from '@mikro-orm/migrations'

/**
 * Lists in XML that were sent when closed ones still counted: no other document is read in their place, and without a
 * next update they are never stale. The owner of a table is held by its fence, too.
 */
const CLOSED = `
alter table trust_lists no force row level security;
update trust_lists set entries = '[]', revision = revision + 1, updated_at = now(), failure = json_build_object(
    'code', 'trust_list.source_closed',
    'message', 'The operator has closed the list: its scheme has ended, no other list follows, and nothing in it counts.',
    'since', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  where source->>'format' = 'ts-119-612' and source->>'url' is null
    and facts is not null and facts->>'nextUpdate' is null
    and failure->>'code' is distinct from 'trust_list.source_closed';
alter table trust_lists force row level security;`

export class TrustListsClosed extends Migration {
  override name = '0097-trust-lists-closed'

  override up() {
    this.addSql(CLOSED)
  }
}
