import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import { until } from '../support/credentials/dids.ts'
import { openProcesses, type Processes } from '../support/parts/processes.ts'
import { type Behaviour, createReceiver, type DeliveryBody, FAULTS, status } from '../support/receiver.ts'
import { type AttemptAnswer, type DeliveryAnswer, webhooksOf } from '../support/webhooks.ts'
import { TYPE } from '../support/webhooks.world.ts'
import { type Ask, send } from '../support/world.ts'

const EVENTS = 1_000
const ATTEMPTS = 4
const TIMEOUT_MS = 3_000
/** An attempt under way at a kill was called in this time before it. */
const UNDER_WAY_MS = TIMEOUT_MS + 2_000
const LIMIT_MS = 10 * 60_000

/** What the receiver does, and how an attempt that met it is recorded. */
const ANSWERS: Record<string, { does: Behaviour; recorded: Pick<AttemptAnswer, 'responseCode' | 'code'> }> = {
  ok: { does: status(200), recorded: { responseCode: 200 } },
  error: { does: status(500), recorded: { responseCode: 500, code: 'answer' } },
  redirect: { does: status(302, { location: '/elsewhere' }), recorded: { responseCode: 302, code: 'answer' } },
  slow: {
    does: (_nth, response) => void setTimeout(() => response.writeHead(200).end(), 4_000),
    recorded: { code: 'timeout' },
  },
  reset: { does: FAULTS.reset, recorded: { code: 'connection' } },
  half: { does: FAULTS.half, recorded: { code: 'connection' } },
}
const FAULTY = Object.keys(ANSWERS).filter((name) => name !== 'ok')

/** Half of the answers accept, so that many events need all attempts; which one a call gets, follows from its numbers. */
function answerTo(eventId: string, nth: number): string {
  const [half = 0, which = 0] = createHash('sha256').update(`${eventId}/${nth}`).digest()
  return half < 128 ? 'ok' : (FAULTY[which % FAULTY.length] ?? 'ok')
}

interface Call {
  answer: string
  deliveryId: string
  atMs: number
}

/** Calls at the receiver, by event. */
const calls = new Map<string, Call[]>()
const receiver = createReceiver()
receiver.script('/faults', (nth, response) => {
  const received = receiver.received.at(-1)
  if (!received) throw new Error('nothing was received')
  const { deliveryId, event } = JSON.parse(received.body.toString('utf8')) as DeliveryBody
  if (received.headers['webhook-id'] !== event.id) throw new Error(`two ids of one event: ${event.id}`)
  const before = calls.get(event.id) ?? []
  const answer = answerTo(event.id, before.length)
  calls.set(event.id, [...before, { answer, deliveryId, atMs: received.atMs }])
  ANSWERS[answer]?.does(nth, response)
})
const server = createServer(receiver.listener)

let platform: Processes
let hooks: ReturnType<typeof webhooksOf>
let url: string
test.before(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}/faults`
  platform = await openProcesses({
    HOST: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SECONDS: '0.5,1,2',
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    ACCESS_TOKEN_LIFETIME_SECONDS: '7200',
    LOG_LEVEL: 'error',
  })
  const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  hooks = webhooksOf({ ask }, (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token)
})
test.after.always(async () => {
  await platform?.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const count = async (text: string): Promise<number> =>
  (await platform.dependencies.systemSql.query<{ count: number }>({ text, values: [] })).rows[0]?.count ?? -1

/** An event in a transaction of its own, which fails after it where `undone`. */
async function emit(id: string, undone = false): Promise<void> {
  const { dependencies, first } = platform
  const { webhookEvents } = createPlatform(dependencies)
  const failure = new Error('undone')
  await inTenant(dependencies.database.tenants, first.tenantId, async (em) => {
    await webhookEvents.emitEvent(em, { id, tenantId: first.tenantId, type: TYPE, payload: { format: 'ldp_vc' } })
    if (undone) throw failure
  }).catch((error: unknown) => {
    if (error !== failure) throw error
  })
}

/** Emits so many events within a time; some twice, some in transactions that fail. */
async function emitWithin(ms: number, amount: number, ids: Set<string>, undone: Set<string>): Promise<void> {
  for (let nth = 0; nth < amount; nth += 1) {
    const [id, never] = [randomUUID(), randomUUID()]
    ids.add(id)
    await Promise.all([emit(id), ...(nth % 10 === 0 ? [emit(id)] : [])])
    if (nth % 20 === 0) await emit(never, true).then(() => undone.add(never))
    await wait(ms / amount)
  }
}

const kinds = (attempts: readonly AttemptAnswer[]) =>
  attempts.map(({ responseCode, code }) => ({
    ...(responseCode !== undefined && { responseCode }),
    ...(code !== undefined && { code }),
  }))

const tally = (names: readonly string[]) =>
  Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((each) => each === name).length]))

test('1,000 events end delivered, or failed after 4 attempts, whatever the receiver does and whoever is killed', async (t) => {
  const { id: webhookId } = await hooks.created({ url, events: [TYPE] })
  const [ids, undone] = [new Set<string>(), new Set<string>()]
  const kills: number[] = []
  const kill = async () => {
    kills.push(Date.now())
    await Promise.all([platform.worker.kill(), platform.api.kill()])
  }
  const start = () => Promise.all([platform.worker.start(), platform.api.start()])

  for (const _round of ['first', 'second', 'third']) {
    await emitWithin(6_000, 200, ids, undone)
    await kill()
    await emitWithin(500, 100, ids, undone) // while both are down
    await start()
  }
  await emitWithin(1_000, EVENTS - ids.size, ids, undone)
  const pending = `select count(*)::int as count from webhook_deliveries where state = 'PENDING'`
  await until('the end of every delivery', async () => (await count(pending)) === 0, LIMIT_MS)
  t.is(await count(`select count(*)::int as count from outbox where started_at is null`), 0)

  const deliveries: DeliveryAnswer[] = (await hooks.deliveries(`?webhookId=${webhookId}&limit=1000`)).deliveries
  t.log('ended', tally(deliveries.map((each) => `${each.status} after ${each.attempts.length}`)))
  const seen = [...calls.values()].flat()
  t.log('answered', tally(seen.map(({ answer }) => answer)))
  const attempts = deliveries.flatMap((each) => kinds(each.attempts))
  t.log('recorded', tally(attempts.map(({ responseCode, code }) => [code, responseCode].filter(Boolean).join(' '))))

  t.is(deliveries.length, EVENTS)
  t.deepEqual(deliveries.map(({ eventId }) => eventId).sort(), [...ids].sort(), 'each event has one delivery')
  t.deepEqual([...calls.keys()].sort(), [...ids].sort(), 'each event was seen, and no other')
  const repeated: string[] = []
  for (const { id, eventId, status: ended, attempts: recorded } of deliveries) {
    const met = calls.get(eventId) ?? []
    t.deepEqual(new Set(met.map(({ deliveryId }) => deliveryId)), new Set([id]), 'a repeat has the same ids')
    if (ended === 'DELIVERED') {
      t.true(
        met.some(({ answer }) => answer === 'ok'),
        `${eventId} was not accepted`,
      )
      t.true(recorded.length >= 1 && recorded.length <= ATTEMPTS)
      t.deepEqual(kinds(recorded.slice(-1)), [{ responseCode: 200 }])
    } else {
      t.is(ended, 'FAILED')
      t.is(recorded.length, ATTEMPTS)
      t.true(recorded.every(({ code }) => code !== undefined))
    }
    const expected = met.map(({ answer }) => ANSWERS[answer]?.recorded ?? {})
    if (met.length === recorded.length) t.deepEqual(kinds(recorded), expected, 'each attempt is recorded as it went')
    else repeated.push(eventId)
  }
  // a call that was not recorded was under way at a kill
  for (const eventId of repeated)
    t.true(
      calls.get(eventId)?.some(({ atMs }) => kills.some((at) => atMs <= at && at - atMs < UNDER_WAY_MS)),
      `${eventId} was called ${calls.get(eventId)?.length} times`,
    )
  t.log({
    kills: kills.length,
    undone: undone.size,
    repeated: repeated.length,
    calls: seen.length,
    attempts: attempts.length,
  })
})
