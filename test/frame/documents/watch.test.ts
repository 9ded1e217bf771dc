import test from 'ava'
import { createWatch, type Short } from '../../../activities/documents/watch.ts'

/** What is told of a task that has so many milliseconds of work and never ends. */
const told = (workMs: number) =>
  new Promise<{ what: Short; afterMs: number }>((resolve) => {
    const begun = performance.now()
    const watch = createWatch({
      limits: { timeoutMs: 100, memoryMb: 256, waitMs: 1000 },
      look: async () => ({ workMs, heapMb: 1 }),
      over: (what) => resolve({ what, afterMs: performance.now() - begun }),
    })
    watch.start()
  })

test('a task that has worked for longer than it may is too complex', async (t) => {
  t.like(await told(101), { what: 'time' })
})

test('a task that the machine gives no time to work is late, not too complex', async (t) => {
  const { what, afterMs } = await told(10)
  t.is(what, 'late')
  t.true(afterMs >= 500)
})
