import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { RowInput } from '../../../protocol/credentials/batches.ts'
import { isObject } from '../../../protocol/json.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import { rowProblem } from './problems.ts'

/** Rows that one slice looks at. */
const AT_ONCE = 1_000

/** Locked first, as whoever records rows of it does. An upload that is not complete is no batch yet. */
const NEXT = `select id from credential_batches
  where tenant_id = ? and state in ('PROCESSING', 'PAUSED') and (id > ? or id = ? and ?::boolean)
  order by id limit 1 for update`

const LOOK = `select row_number as "rowNumber", case when strpos(input::text, ?) > 0 then input end as input
  from credential_batch_rows where batch_id = ? and row_number > ? and state = 'pending' order by row_number limit ?`

const REFUSE = `with refused as (
    update credential_batch_rows r set state = 'failed', input = null, errors = ?::json
    where r.batch_id = ? and r.row_number = any (string_to_array(?, ' ')::int[]) and r.state = 'pending' returning 1),
  counted as (select count(*)::int as count from refused)
update credential_batches b set failed = b.failed + counted.count, last_progress_at = clock_timestamp()
from counted where b.id = ? and counted.count > 0 returning counted.count`

const REASON = rowProblem('row.erased', [
  { path: '', code: 'row.erased', message: 'the personal data of the row were erased before it was signed' },
])

/** Members that name the issuer, at the top of a credential and of a row. */
const ISSUER = new Set(['issuer', 'issuer_did'])

const hasValue = (value: unknown, wanted: string): boolean =>
  value === wanted ||
  (Array.isArray(value) && value.some((one) => hasValue(one, wanted))) ||
  (isObject(value) && Object.values(value).some((one) => hasValue(one, wanted)))

/**
 * Whether a DID stands in a row as a value of its own, other than as its issuer: which claim becomes the subject is up to
 * the row's template.
 */
const namesPerson = (input: RowInput, did: string): boolean =>
  Object.entries({ ...input, ...('payload' in input ? input.payload : {}), payload: undefined }).some(
    ([name, value]) => !ISSUER.has(name) && hasValue(value, did),
  )

/** Where a slice of rows begins, or ended; undefined: there is none. */
export interface RowCursor {
  batchId: string | null
  row: number | null
}

/**
 * Refuses the next pending rows of batches that name a person, in the caller's transaction: what is not signed is signed no
 * more. Safe to repeat. `next` is absent after the last batch.
 */
export async function refuseRows(
  em: SqlEntityManager,
  { tenantId, did }: { tenantId: string; did: string },
  { batchId, row }: RowCursor,
): Promise<{ refused: number; next?: RowCursor }> {
  const at = batchId ?? NIL_UUID
  const [batch] = await em.execute<{ id: string }[]>(NEXT, [tenantId, at, at, row !== null])
  if (!batch) return { refused: 0 }
  const after = batch.id === batchId ? (row ?? 0) : 0
  const rows = await em.execute<{ rowNumber: number; input: RowInput | null }[]>(LOOK, [did, batch.id, after, AT_ONCE])
  const named = rows.filter(({ input }) => input && namesPerson(input, did)).map(({ rowNumber }) => rowNumber)
  const [counted] =
    named.length === 0
      ? []
      : await em.execute<{ count: number }[]>(REFUSE, [REASON, batch.id, named.join(' '), batch.id])
  const last = rows.length === AT_ONCE ? (rows.at(-1)?.rowNumber ?? null) : null
  return { refused: counted?.count ?? 0, next: { batchId: batch.id, row: last } }
}
