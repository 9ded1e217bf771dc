import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** How many entries of each type a tenant's log got in each hour: of those that are chained, counted as they are. */
const COUNTS = `
create table log_counts (
  tenant_id uuid not null, hour timestamptz not null, type text not null, count bigint not null check (count > 0),
  primary key (tenant_id, hour, type));
create index log_counts_age on log_counts (hour);`

/** Of the days that counts are kept for. Row-level security holds for the owner too. */
const FORMER = `
alter table logs no force row level security;
alter table log_chain no force row level security;
insert into log_counts (tenant_id, hour, type, count)
select l.tenant_id, date_trunc('hour', l.timestamp, 'UTC'), l.type, count(*)
from logs l join log_chain c on c.entry_id = l.id where l.timestamp > now() - interval '35 days' group by 1, 2, 3;
alter table logs force row level security;
alter table log_chain force row level security;`

export class TokensLogsCounts extends Migration {
  override name = '0055-tokens-logs-counts'

  override up() {
    this.addSql([COUNTS, FORMER, fence('log_counts')].join('\n'))
  }
}
