import type { Sql } from '../../entities/orm.ts'
import type { About, Payload, StartedType, Subject } from '../../protocol/workflows.ts'
import { workflowStart } from './temporal/contract.ts'
import type { WorkflowStart } from './temporal/index.ts'

/** What every row that says "under way" has. */
export interface WorkRow {
  tenantId: string
  id: string
}

export interface FoundWork {
  id: string
  start: WorkflowStart
}

export interface Looking {
  /** Ids come after this one. */
  after?: string
  limit?: number
  /** These alone. */
  ids?: string[]
  /** A row must be under way for so long. */
  seconds?: number
}

/** Work that outlives a request, as its rows tell of it. */
export interface Work<Type extends string = string> {
  workflowType: Type
  /** Rows that say "under way", in the order of their ids; those that the outbox is still to start are left to it. */
  find(systemSql: Sql, looking: Looking): Promise<FoundWork[]>
}

interface Definition<Type extends StartedType, Row extends WorkRow> {
  workflowType: Type
  table: string
  /** What `payload` and `about` need of a row `w` besides id and tenantId, by its names there. */
  columns?: string
  /** Of a row `w`: its workflow has not done its work yet. */
  underWay: string
  /** Of a row `w`: when that began. */
  since: string
  /** As the request that began the work gave it to the outbox. */
  payload(row: Row): Payload<Type> & Subject<Type>
  about(row: Row): About<Type>
}

const FIRST = '00000000-0000-0000-0000-000000000000'
const LIMIT = 50

/** One kind of work. */
export function defineWork<Type extends StartedType, Row extends WorkRow = WorkRow>(
  definition: Definition<Type, Row>,
): Work<Type> {
  const { workflowType, table, columns, underWay, since, payload, about } = definition
  const text = `select w.id, w.tenant_id as "tenantId"${columns ? `, ${columns}` : ''} from ${table} w
    where (${underWay}) and ${since} <= clock_timestamp() - make_interval(secs => $1)
      and w.id > $2 and ($3::uuid[] is null or w.id = any($3)) and not exists (select from outbox o
        where o.started_at is null and o.object_id = w.id::text and o.workflow_type = '${workflowType}')
    order by w.id limit $4`
  return {
    workflowType,
    async find(systemSql, { after = FIRST, limit = LIMIT, ids, seconds = 0 }) {
      const { rows } = await systemSql.query<Row>({ text, values: [seconds, after, ids ?? null, limit] })
      return rows.map((row) => ({ id: row.id, start: workflowStart(workflowType, payload(row), ...about(row)) }))
    },
  }
}
