import test from 'ava'
import { createTurns } from '../../activities/webhooks/turns.ts'
import { Unavailable } from '../../protocol/errors.ts'

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
  const pauses: number[] = []
  for (let nth = 0; nth < 4; nth += 1) {
    const error = await t.throwsAsync(turns.run('tenant', 'https://slow.example/', work), { instanceOf: Unavailable })
    pauses.push(error.retryAfterSeconds)
  }
  for (const [nth, pause] of pauses.entries()) t.true(nth === 0 || pause > (pauses[nth - 1] ?? 0), String(pauses))
  release()
  await running
})
