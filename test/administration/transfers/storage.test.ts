import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { createTransferStorage } from '../../../activities/administration/transfers/storage.ts'

const storage = createTransferStorage({ config: { masterKey: randomBytes(32) } } as never)

/** How often other work came to its turn before a piece of work was done. */
async function turnsDuring<Result>(work: () => Result | Promise<Result>): Promise<[Result, number]> {
  let [turns, isDone] = [0, false]
  const result = Promise.resolve(work()).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await nextTurn()
    if (!isDone) turns += 1
  }
  return [await result, turns]
}

test('a line of megabytes is compressed and read while requests of others are answered', async (t) => {
  const id = randomUUID()
  const lines = [randomBytes(4_000_000).toString('base64'), 'short']
  const [segment, sealing] = await turnsDuring(() => storage.sealSegment(id, 1, lines))
  const [opened, opening] = await turnsDuring(() => storage.openSegment(id, 1, segment))
  t.true(opened.every((line, place) => line === lines[place]) && opened.length === 2)
  const [, chunk] = await turnsDuring(() => storage.sealChunk(id, 1, lines))
  for (const turns of [sealing, opening, chunk]) t.true(turns > 1, `${turns}`)
})
