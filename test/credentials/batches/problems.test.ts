import test from 'ava'
import { createRoom, storedRow } from '../../../activities/credentials/batches/problems.ts'
import { csvRows } from '../../../api/credentials/batches/rows.ts'
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
