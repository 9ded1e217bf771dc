import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createTurns, NoTurn } from '../../activities/webhooks/turns.ts'
import { Unavailable } from '../../protocol/errors.ts'

/** A call that ends when it is told to. */
function call() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('a delivery that has no turn within a workflow task is not made, and one of an activity comes later', async (t) => {
  const turns = createTurns({ perHost: 1, waitingPerHost: 0 })
  const first = call()
  const running = turns.runAtOnce('one', 'a.example', first.work)
  const never = () => Promise.resolve(t.fail('the host was called'))
  await t.throwsAsync(turns.runAtOnce('two', 'a.example', never), { instanceOf: NoTurn })
  const later = await t.throwsAsync(turns.run('two', 'a.example', never), { instanceOf: Unavailable })
  t.true((later?.retryAfterSeconds ?? 0) > 0.1)
  t.is(await turns.runAtOnce('two', 'b.example', async () => 'called'), 'called')
  first.end()
  await running
  t.is(await turns.runAtOnce('two', 'a.example', async () => 'called'), 'called')
})

test('workflow tasks wait for a few deliveries together, and for none longer than a moment', async (t) => {
  const turns = createTurns({ soon: { atOnce: 2, waiting: 1 }, waitMs: 200 })
  const calls = [call(), call()]
  const running = calls.map(({ work }, at) => turns.runAtOnce('one', `${at}.example`, work))
  const waiting = turns.runAtOnce('one', 'waits.example', async () => 'called')
  await t.throwsAsync(
    turns.runAtOnce('one', 'more.example', async () => 'called'),
    { instanceOf: NoTurn },
  )
  await t.throwsAsync(waiting, { instanceOf: NoTurn })
  t.is(await turns.run('one', 'more.example', async () => 'called'), 'called', 'activities have places of their own')
  for (const { end } of calls) end()
  await Promise.all(running)
})

test('a slow host gets no attempt within a workflow task until it is fast again', async (t) => {
  const turns = createTurns()
  const at = (run: typeof turns.run, ms: number) => run('one', 'slow.example', () => wait(ms))
  await at(turns.runAtOnce, 900) // (200 + 900) / 2
  await t.throwsAsync(at(turns.runAtOnce, 0), { instanceOf: NoTurn })
  await at(turns.run, 0)
  await t.notThrowsAsync(at(turns.runAtOnce, 0))
  t.is(await turns.runAtOnce('one', 'other.example', async () => 'called'), 'called')
})

test('what the work throws reaches the caller', async (t) => {
  const turns = createTurns()
  const fail = () => Promise.reject(new Error('of the work'))
  for (const run of [turns.run, turns.runAtOnce])
    await t.throwsAsync(run<void>('one', 'a.example', fail), { message: 'of the work' })
})
