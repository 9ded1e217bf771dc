import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createCredentialRecorder } from '../../activities/credentials/record.ts'
import type { Sql } from '../../entities/orm.ts'
import { recordingOf } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'

/** A database that answers when it is told to. */
function answering() {
  const asked: { rows: number; answer(): void }[] = []
  const sql: Sql = {
    query: ({ values }) => {
      const rows = String(values[0]).split('\n').length
      return new Promise((resolve) => {
        const outcomes = Array.from({ length: rows }, () => ({ outcome: 'recorded' }))
        asked.push({ rows, answer: () => resolve({ rows: outcomes as never[] }) })
      })
    },
  }
  return { asked, sql }
}

const NOBODY = { tenantId: randomUUID(), didId: randomUUID() }

test('those that come while a statement runs are gathered for the next one (D-932)', async (t) => {
  const { asked, sql } = answering()
  const recorder = createCredentialRecorder(sql)
  const first = recorder.record(recordingOf(NOBODY))
  await until('the first statement', async () => asked.length === 1)
  const others = Array.from({ length: 5 }, () => recorder.record(recordingOf(NOBODY)))
  asked[0]?.answer()
  await first
  await until('the next statement', async () => asked.length === 2)
  asked[1]?.answer()
  t.deepEqual(
    await Promise.all(others),
    Array.from({ length: 5 }, () => 'recorded' as const),
  )
  t.deepEqual(
    asked.map(({ rows }) => rows),
    [1, 5],
  )
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Rows of as many turns of the event loop, each of which takes `turnMs` by the recorder's clock; how the statements share them. */
async function inTurns(rows: number, turnMs: number): Promise<number[]> {
  const { asked, sql } = answering()
  const clock = { ms: 0 }
  const recorder = createCredentialRecorder(sql, () => clock.ms)
  const all: Promise<string>[] = []
  while (all.length < rows) {
    all.push(recorder.record(recordingOf(NOBODY)))
    await turn()
    clock.ms += turnMs
  }
  for (let place = 0; place < rows; place++) {
    await turn()
    await turn()
    await turn()
    asked[place]?.answer()
  }
  await Promise.all(all)
  return asked.map(({ rows }) => rows)
}

test('those that come in turns of the event loop, one after the other, share a statement (D-909)', async (t) => {
  t.deepEqual(await inTurns(6, 0), [6])
})

test('the first row of those that never end waits for 31 others, and for 10 ms (D-909)', async (t) => {
  t.is((await inTurns(40, 0))[0], 32)
  const [first = 0] = await inTurns(12, 4)
  t.true(first >= 2 && first <= 5, `${first} rows`)
})

test('a statement that is held up keeps only its own rows waiting (D-932)', async (t) => {
  const { asked, sql } = answering()
  const recorder = createCredentialRecorder(sql)
  const stuck = recorder.record(recordingOf(NOBODY))
  await until('the first statement', async () => asked.length === 1)
  for (const place of [1, 2]) {
    const next = recorder.record(recordingOf(NOBODY))
    await until('the next statement', async () => asked.length === place + 1)
    asked[place]?.answer()
    t.is(await next, 'recorded')
  }
  asked[0]?.answer()
  t.is(await stuck, 'recorded')
})
