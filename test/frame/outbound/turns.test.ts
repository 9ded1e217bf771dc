import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createTurns, NoTurn } from '../../../activities/frame/outbound/turns.ts'
import { Unavailable } from '../../../protocol/errors.ts'

/** A call that ends when it is told to. */
function call() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('a delivery that has no turn within a workflow task is not made, and one of an activity comes later', async (t) => {
  const turns = createTurns({ perHost: 1, waitingPerHost: 0 })
  const first = call()
  const running = turns.runAtOnce('one', 'https://a.example/', first.work)
  const never = () => Promise.resolve(t.fail('the host was called'))
  await t.throwsAsync(turns.runAtOnce('two', 'https://a.example/', never), { instanceOf: NoTurn })
  const later = await t.throwsAsync(turns.run('two', 'https://a.example/', never), { instanceOf: Unavailable })
  t.true((later?.retryAfterSeconds ?? 0) > 0.1)
  t.is(await turns.runAtOnce('two', 'https://b.example/', async () => 'called'), 'called')
  first.end()
  await running
  t.is(await turns.runAtOnce('two', 'https://a.example/', async () => 'called'), 'called')
})

test('workflow tasks wait for a few deliveries together, and for none longer than a moment', async (t) => {
  const turns = createTurns({ soon: { atOnce: 2, waiting: 1 }, waitMs: 200 })
  const calls = [call(), call()]
  const running = calls.map(({ work }, at) => turns.runAtOnce('one', `https://${at}.example/`, work))
  const waiting = turns.runAtOnce('one', 'https://waits.example/', async () => 'called')
  await t.throwsAsync(
    turns.runAtOnce('one', 'https://more.example/', async () => 'called'),
    { instanceOf: NoTurn },
  )
  await t.throwsAsync(waiting, { instanceOf: NoTurn })
  t.is(
    await turns.run('one', 'https://more.example/', async () => 'called'),
    'called',
    'activities have places of their own',
  )
  for (const { end } of calls) end()
  await Promise.all(running)
})

test('a slow host gets no attempt within a workflow task until it is fast again', async (t) => {
  const turns = createTurns()
  const at = (run: typeof turns.run, ms: number) => run('one', 'https://slow.example/', () => wait(ms))
  await at(turns.runAtOnce, 900) // (200 + 900) / 2
  await t.throwsAsync(at(turns.runAtOnce, 0), { instanceOf: NoTurn })
  await at(turns.run, 0)
  await t.notThrowsAsync(at(turns.runAtOnce, 0))
  t.is(await turns.runAtOnce('one', 'https://other.example/', async () => 'called'), 'called')
})

test('what the work throws reaches the caller', async (t) => {
  const turns = createTurns()
  const fail = () => Promise.reject(new Error('of the work'))
  for (const run of [turns.run, turns.runAtOnce])
    await t.throwsAsync(run<void>('one', 'https://a.example/', fail), { message: 'of the work' })
})

/** Calls that go on until they are let go. */
function held() {
  const ends: (() => void)[] = []
  return {
    work: () => new Promise<void>((resolve) => ends.push(resolve)),
    started: () => ends.length,
    release: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

test('all ports of a host share its places, as the places of outbound calls do', async (t) => {
  const turns = createTurns({ perHost: 2, waitingPerHost: 0, waitMs: 50 })
  const { work, started, release } = held()
  const first = [8443, 8444].map((port) => turns.run('tenant', `https://receiver.example:${port}/hooks`, work))
  for (const url of ['https://receiver.example/hooks', 'https://receiver.example:8445/', 'https://RECEIVER.example/']) {
    const refused = await t.throwsAsync(turns.run('another', url, work), { instanceOf: Unavailable })
    t.is(refused.part, 'outbound')
    t.true(refused.retryAfterSeconds > 0 && refused.retryAfterSeconds <= 30)
  }
  t.is(started(), 2)
  const elsewhere = turns.run('tenant', 'https://other.example:8443/hooks', work)
  t.is(started(), 3, 'another host is called meanwhile')
  release()
  await Promise.all([...first, elsewhere])
  await turns.run('another', 'https://receiver.example/hooks', async () => undefined)
})

test('one tenant leaves places for others, and a slow host for other hosts', async (t) => {
  const turns = createTurns({ atOnce: 3, perTenant: 2, perHost: 1, waitingPerHost: 1, waitMs: 50 })
  const { work, release } = held()
  const running = turns.run('one', 'https://slow.example/', work)
  // waits for the host within the tenant's places
  const waiting = t.throwsAsync(turns.run('one', 'https://slow.example/', work), { instanceOf: Unavailable })
  await t.throwsAsync(turns.run('one', 'https://quick.example/', work), { instanceOf: Unavailable })
  await turns.run('two', 'https://quick.example/', async () => undefined)
  await waiting
  release()
  await running
})

test('what is sent away comes back at times that are spread at the pace of the host', async (t) => {
  const turns = createTurns({ perHost: 1, waitingPerHost: 0, waitMs: 20 })
  const { work, release } = held()
  const running = turns.run('tenant', 'https://slow.example/', work)
  const times: number[] = []
  for (let nth = 0; nth < 4; nth += 1) {
    const error = await t.throwsAsync(turns.run('tenant', 'https://slow.example/', work), { instanceOf: Unavailable })
    times.push(performance.now() / 1000 + error.retryAfterSeconds)
  }
  for (const [nth, time] of times.entries()) t.true(nth === 0 || time > (times[nth - 1] ?? 0), String(times))
  release()
  await running
})

test('a tenant with many deliveries to a host that others call, too, delays only its own (D-1090)', async (t) => {
  const turns = createTurns({ perHost: 4, waitingPerHost: 0, waitMs: 20 })
  const { work, started, release } = held()
  const running = [1, 2, 3].map(() => turns.run('many', 'https://shared.example/', work))
  let pause = 0
  for (let nth = 0; nth < 50; nth += 1) {
    const error = await t.throwsAsync(turns.run('many', 'https://shared.example/', work), { instanceOf: Unavailable })
    pause = error.retryAfterSeconds
  }
  t.true(pause > 2, String(pause))
  running.push(turns.run('few', 'https://shared.example/', work))
  t.is(started(), 4, 'a place is left for another tenant')
  const error = await t.throwsAsync(turns.run('third', 'https://shared.example/', work), { instanceOf: Unavailable })
  t.true(error.retryAfterSeconds < 1, 'and its line is its own')
  release()
  await Promise.all(running)
})
