import test from 'ava'
import { createRoom, rowProblem, storedRow } from '../../../activities/credentials/batches/problems.ts'
import { csvRows } from '../../../api/credentials/batches/rows.ts'
import { rowOfJson } from '../../../protocol/credentials/batches.ts'
import { Refusal } from '../../../protocol/errors.ts'

async function storedOf(csv: string) {
  const source = async function* () {
    yield Buffer.from(csv)
  }
  const stored: ReturnType<typeof storedRow>[] = []
  for await (const row of csvRows(source(), ',', 'payload')) stored.push(storedRow(row, undefined))
  return stored
}

test('a line of a CSV that the names of the header make too large is refused alone (D-1211)', async (t) => {
  // the header alone fits in a line, and a row with its names and full cells exceeds one
  const header = Array.from({ length: 127 }, (_, n) => `${n}-`.padEnd(512, 'n'))
  const rows = await storedOf(`${header.join(',')}\n${'12345,'.repeat(126)}12345\n1${','.repeat(126)}\n`)
  t.deepEqual(
    rows.map(({ input, problem }) => [input === null, problem === null ? [] : JSON.parse(problem)[0].rule]),
    [
      [true, 'row.too_large'],
      [false, []],
    ],
  )
})

test('the rows of an upload take no more room than they may (D-1211)', (t) => {
  const take = createRoom(10)
  take('12345')
  take('ü678')
  const error = t.throws(() => take('x'), { instanceOf: Refusal })
  t.is(error?.code, 'request.too_large')
})

const tellingsOf = (problem: string | null) => JSON.parse(problem ?? '[]') as Record<string, string>[]

test('of the errors of a row a hundred are told, and how many there are besides (D-1212)', (t) => {
  const errors = Array.from({ length: 103 }, (_, n) => ({ path: `p${n}`, code: 'c', message: 'm' }))
  t.is(tellingsOf(rowProblem('row.invalid', errors.slice(0, 100))).length, 100)
  const told = tellingsOf(rowProblem('row.invalid', errors))
  t.is(told.length, 101)
  t.deepEqual(told.at(-1), {
    path: '',
    code: 'row.invalid',
    rule: 'row.more_errors',
    message: '3 more errors of this row are not shown',
  })
})

test('a row of thousands of members that no row has takes no more than 64 KiB (D-1212)', (t) => {
  const members = Array.from({ length: 5_000 }, (_, n) => [n.toString(36), 0])
  for (const kind of ['payload', 'sd-jwt-vc'] as const) {
    const { problem } = storedRow(rowOfJson(Object.fromEntries(members), kind), undefined)
    t.true((problem ?? '').length < 65_536)
    const told = tellingsOf(problem)
    t.regex(told.at(-1)?.message ?? '', /^4901 more/)
    t.true(told.every(({ message }) => message !== ''))
  }
})

test('blank lines of a CSV end soon, whatever they unpack to, and some are skipped (D-1213)', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    t.is((await storedOf(`id${end.repeat(3)}a${end.repeat(1_000)}b${end}`)).length, 2)
    const part = Buffer.from(end.repeat(65_536))
    let parts = 0
    const flood = async function* () {
      yield Buffer.from(`id${end}`)
      for (; parts < 1_000; parts++) yield part
    }
    const read = async () => {
      for await (const _row of csvRows(flood(), ',', 'payload'));
    }
    t.is((await t.throwsAsync(read(), { instanceOf: Refusal }))?.code, 'batch.too_many_rows')
    t.true(parts < 150, `${parts} parts were read`)
  }
})

test.serial('rows that came at once are read in several turns of the event loop (D-1210)', async (t) => {
  let turns = 0
  let more = true
  const count = () => {
    turns++
    if (more) setImmediate(count)
  }
  setImmediate(count)
  const rows = await storedOf(`a\n${'1\n'.repeat(2_000)}`)
  more = false
  t.is(rows.length, 2_000)
  t.true(turns >= 50, `${turns} turns`)
})
