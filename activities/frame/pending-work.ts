import type { Sql } from '../../entities/orm.ts'
import { NIL_UUID } from '../../protocol/uuid.ts'
import type { About, Payload, StartedType, Subject } from '../../protocol/workflows.ts'
import { workflowStart } from './temporal/contract.ts'
import type { WorkflowStart } from './temporal/starts.ts'

/** Columns of every row under way. */
export interface WorkRow {
  tenantId: string
  id: string
}

export interface FoundWork {
  id: string
  start: WorkflowStart
}

export interface Looking {
  /** Only ids after this one. */
  after?: string
  limit?: number
  /** Only these ids. */
  ids?: string[]
  /** Only rows under way for at least this time. */
  seconds?: number
}

/** Work that outlives a request, found by its rows. */
export interface Work<Type extends string = string> {
  workflowType: Type
  /** Finds rows under way, in the order of their ids, except those whose workflow the outbox will start. */
  find(systemSql: Sql, looking: Looking): Promise<FoundWork[]>
}

interface Definition<Type extends StartedType, Row extends WorkRow> {
  workflowType: Type
  table: string
  /** Further columns of a row `w` that `payload` and `about` need besides id and tenantId. */
  columns?: string
  /** SQL condition on a row `w`: its workflow has not finished. */
  underWay: string
  /** SQL expression on a row `w`: since when. */
  since: string
  /** Payload as the request gave it to the outbox. */
  payload(row: Row): Payload<Type> & Subject<Type>
  about(row: Row): About<Type>
}

const LIMIT = 50

/** Defines one kind of work. */
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
    async find(systemSql, { after = NIL_UUID, limit = LIMIT, ids, seconds = 0 }) {
      const { rows } = await systemSql.query<Row>({ text, values: [seconds, after, ids ?? null, limit] })
      return rows.map((row) => ({ id: row.id, start: workflowStart(workflowType, payload(row), ...about(row)) }))
    },
  }
}
