import test from 'ava'
import type { RowOutcomes } from '../../../activities/credentials/batches/chunk.ts'
import { recordSlice } from '../../../activities/credentials/batches/recording.ts'
import type { SignedRow } from '../../../activities/credentials/record.ts'

const chunk = { tenantId: 'tenant', batchId: 'batch', from: 1, to: 4 }

const signedRow = (row: number) => ({
  row,
  credential: { id: `id ${row}`, didId: 'did', document: { id: `id ${row}` }, types: [] } as unknown as SignedRow,
})

/** PostgreSQL's refusal of a statement. */
const refused = (code: string) => Object.assign(new Error('refused'), { severity: 'ERROR', code })

/** Rows that were recorded and refused, from a slice of three whose second row the database answers so. */
async function recorded(error: Error | string, alone?: string) {
  const signed: number[] = []
  const failed: [number, string][] = []
  const sql = {
    async query({
      values,
    }: {
      values: [string, string, number[], string[], string[], Buffer, null, number[], string[]]
    }) {
      const [, , rows, , , , , failedRows, problems] = values
      if (rows.includes(2) && error instanceof Error) throw error
      if (rows.length === 1 && alone !== undefined) return { rows: [{ outcome: alone, all_signed: 0, all_failed: 0 }] }
      signed.push(...rows)
      for (const [at, row] of failedRows.entries()) failed.push([row, problems[at] ?? ''])
      return { rows: [{ outcome: 'recorded', all_signed: signed.length, all_failed: failed.length }] }
    },
  }
  const log: object[] = []
  const parts = { sql, subjectIndex: { ofAll: () => [] }, log: { error: (entry: object) => log.push(entry) } }
  const outcomes: RowOutcomes = {
    signed: [1, 2, 3].map(signedRow),
    failed: [{ row: 4, problem: 'a fault of its own' }],
    gone: new Set(),
  }
  const result = await recordSlice(parts as never, chunk, outcomes, undefined).catch((thrown: unknown) => thrown)
  return { result, signed, failed: failed.map(([row]) => row), problems: failed.map(([, problem]) => problem), log }
}

test('a row whose data the database cannot take is refused alone, and the rest is recorded', async (t) => {
  for (const code of ['54000', '22P05']) {
    const { result, signed, failed, problems, log } = await recorded(refused(code))
    t.like(result, { outcome: 'recorded', all_signed: 2, all_failed: 2 })
    t.deepEqual(
      [signed, failed],
      [
        [1, 3],
        [4, 2],
      ],
    )
    t.true(problems[1]?.includes('row.unforeseen'))
    t.like(log, [{ row: 2, batchId: 'batch' }])
  }
})

test('for a fault that may be none of the row, the rest is recorded, and the row is tried again (D-153)', async (t) => {
  for (const code of ['23505', '42501']) {
    const error = refused(code)
    const { result, signed, failed } = await recorded(error)
    t.is(result, error)
    t.deepEqual([signed, failed], [[1, 3], [4]])
  }
})

test('nothing is tried row by row while the database is away, or where nobody knows whether it has recorded', async (t) => {
  for (const error of [refused('57014'), refused('40001'), new Error('Connection terminated')]) {
    const { result, signed, failed } = await recorded(error)
    t.is(result, error)
    t.deepEqual([signed, failed], [[], []])
  }
})

test('an issuer or a template that is gone meanwhile is answered as for the slice', async (t) => {
  t.like((await recorded(refused('54000'), 'issuer_gone')).result, { outcome: 'issuer_gone' })
  t.like((await recorded(refused('54000'), 'template_gone')).result, { outcome: 'template_gone' })
})
