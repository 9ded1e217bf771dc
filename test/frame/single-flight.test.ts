import test from 'ava'
import { singleFlight } from '../../activities/frame/caches.ts'

/** Work that ends when told, and counts. */
function held() {
  const gate = { begun: 0, end: (_value: string) => {}, fail: (_error: Error) => {} }
  const work = () => {
    gate.begun += 1
    return new Promise<string>((resolve, reject) => Object.assign(gate, { end: resolve, fail: reject }))
  }
  return { gate, work }
}

test('work of one name runs once at a time, and whoever asks meanwhile gets its outcome', async (t) => {
  const flight = singleFlight<string>()
  const { gate, work } = held()
  const asked = [flight('a', work), flight('a', work), flight('a', work)]
  t.is(gate.begun, 1)
  gate.end('first')
  t.deepEqual(await Promise.all(asked), ['first', 'first', 'first'])
})

test('names have flights of their own', async (t) => {
  const flight = singleFlight<string>()
  t.deepEqual(await Promise.all([flight('a', async () => 'a'), flight('b', async () => 'b')]), ['a', 'b'])
})

test('nothing is kept: after an outcome or a failure the work runs anew', async (t) => {
  const flight = singleFlight<string>()
  const { gate, work } = held()
  const failing = [flight('a', work), flight('a', work)]
  gate.fail(new Error('away'))
  for (const each of failing) await t.throwsAsync(each, { message: 'away' })
  const again = flight('a', work)
  gate.end('second')
  t.is(await again, 'second')
  const last = flight('a', work)
  gate.end('third')
  t.is(await last, 'third')
  t.is(gate.begun, 3)
})
