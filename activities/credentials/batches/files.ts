import type { Sql } from '../../../entities/orm.ts'

/** Rows of one read. Each read is its own transaction, so that a slow caller holds none open. */
const PAGE = 500

/** Bytes of errors of one read, and one more row: a page is one turn of the event loop (D-1212). */
const PAGE_BYTES = 512 * 1024

const RESULTS = `select row_number, id, document from read_batch_results($1, $2, $3, $4)`
const ERRORS = `select row_number, errors from read_batch_errors($1, $2, $3, $4, ${PAGE_BYTES})`

interface ResultRow {
  row_number: number
  id: string
  /** JSON text as it stands in the table. */
  document: string
}

export interface RowError {
  row: number
  /** Member, claim or column; empty for the row as a whole. */
  field: string
  /** Code of the refusal, e.g. `credential.invalid`. */
  code: string
  /** The rule of the field that was broken. */
  rule: string
  message: string
}

interface ErrorRow {
  row_number: number
  errors: { path: string; code: string; rule: string; message: string }[]
}

/** Results and errors of a batch for download, in the order of the upload, read page by page. */
export function createBatchFiles({ sql }: { sql: Sql }) {
  async function* pages<Row extends { row_number: number }>(name: string, text: string, of: [string, string, number]) {
    const [tenantId, id, start] = of
    for (let after: number | undefined = start; after !== undefined; ) {
      const query: { name: string; text: string; values: unknown[] } = {
        name,
        text,
        values: [tenantId, id, after, PAGE],
      }
      const { rows }: { rows: Row[] } = await sql.query<Row>(query)
      // the first also where it is empty: a text without lines is an answer, too
      if (rows.length > 0 || after === start) yield rows
      // a page may be short because of its bytes
      after = rows.at(-1)?.row_number
    }
  }

  return {
    /** Lines of `{row, id, credential}` after row number `after`. */
    async *results(tenantId: string, id: string, after = 0): AsyncGenerator<string> {
      for await (const rows of pages<ResultRow>('batch-results', RESULTS, [tenantId, id, after]))
        yield rows.map((row) => `{"row":${row.row_number},"id":"${row.id}","credential":${row.document}}\n`).join('')
    },

    async *rowErrors(tenantId: string, id: string, after = 0): AsyncGenerator<RowError[]> {
      for await (const rows of pages<ErrorRow>('batch-errors', ERRORS, [tenantId, id, after]))
        yield rows.flatMap(({ row_number: row, errors }) =>
          errors.map(({ path: field, code, rule, message }) => ({ row, field, code, rule, message })),
        )
    },
  }
}

export type BatchFiles = ReturnType<typeof createBatchFiles>
