import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect as openSocket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import express from 'express'
import type { Idempotency } from '../../../activities/frame/idempotency.ts'
import { claimKey, Replay } from '../../../api/frame/idempotency.ts'
import { connect } from '../../../entities/orm.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { create, lines, steer } from '../../support/credentials/batches.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { type Ask, openWorld, type Reply, type World } from '../../support/world.ts'

const PER_MINUTE = 60

let world: World
test.before(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) } })
})
test.after.always(() => world?.close())

const SIGN = '/v1/credentials/web-semantic/sign'

/** A tenant of the test's own, so that no other test uses up its requests. */
async function tenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const key = randomUUID()
  const write = (path: string, body?: unknown, more: Ask = {}): Promise<Reply> =>
    world.ask(path, { method: 'POST', token, body, ...more, headers: { ...more.headers, 'idempotency-key': key } })
  return { client, token, key, write, did: await createDid(world, 'ed25519', token) }
}

const signBody = (did: string, tag: string) => ({
  payload: payload(did),
  proofType: 'eddsa-rdfc-2022',
  revocable: false,
  tag,
})

async function count(text: string, values: unknown[]): Promise<number> {
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({ text, values })
  return rows[0]?.count ?? Number.NaN
}

const credentials = (tag: string) => count('select count(*)::int as count from credentials where tag = $1', [tag])

const worked = (reply: Reply): boolean =>
  reply.status >= 200 && reply.status < 300 && reply.headers.get('idempotency-replayed') === null

test.serial(
  '503 of a database that waits for a lock is not kept: the same key signs once the lock is gone (D-004)',
  async (t) => {
    const { write, did, client, key } = await tenant()
    const tag = randomUUID()
    const owner = await connect(world.config.database.url, 1)
    const refused = await owner.em.transactional(async (em) => {
      await em.execute('lock table credentials in exclusive mode')
      return write(SIGN, signBody(did, tag))
    })
    await owner.close()
    t.is(refusal(refused, 503), 'database.unavailable')
    const since = () =>
      count('select extract(epoch from created_at)::float8 as count from idempotency_keys where key = $1', [
        `${client.clientId} ${key}`,
      ])
    const first = await since()
    const again = await write(SIGN, signBody(did, tag))
    t.true(worked(again), again.text)
    t.is(await since(), first, 'ids that are derived from the key are those of the attempt that failed (D-1222)')
    const replayed = await write(SIGN, signBody(did, tag))
    t.is(replayed.text, again.text)
    t.is(await credentials(tag), 1)
  },
)

test('500 of a key that does not open is not kept: the same key signs once it is mended (D-004)', async (t) => {
  const { write, did } = await tenant()
  const tag = randomUUID()
  const { systemSql } = world.dependencies
  const values = [did]
  const where = `where key_id in (select k.id from keys k join dids d on d.id = k.did_id where d.did = $1)`
  const damage = (change: string) =>
    systemSql.query({ text: `update key_envelopes set envelope = ${change} ${where}`, values })
  const flipped = 'set_byte(envelope, 20, 255 - get_byte(envelope, 20))'
  await damage(flipped)
  t.is(refusal(await write(SIGN, signBody(did, tag)), 500), 'key.envelope_refused')
  t.is(await credentials(tag), 0)
  await damage(flipped)
  const again = await write(SIGN, signBody(did, tag))
  t.true(worked(again), again.text)
  t.is(await credentials(tag), 1)
})

test('409 of a batch that is under way is not kept: the same key revokes it once it has ended (D-004)', async (t) => {
  const { write, did, token } = await tenant()
  const { id } = await create(world, lines(1), { issuer: did, proofType: 'eddsa-rdfc-2022' }, { token })
  const path = `/v1/credentials/batches/${id}/revocation`
  t.is(refusal(await write(path), 409), 'batch.not_ended')
  t.is((await steer(world, id, 'cancel', token)).status, 200)
  const again = await write(path)
  t.true(worked(again), again.text)
})

test('409 of a request in flight is not kept: the same key answers once the other has ended (D-004)', async (t) => {
  const { client, key, write, did } = await tenant()
  const own = `${client.clientId} ${key}`
  const tag = randomUUID()
  t.true(worked(await write(SIGN, signBody(did, tag))))
  const change = (assignments: string) =>
    world.dependencies.systemSql.query({
      text: `update idempotency_keys set ${assignments} where tenant_id = $1 and key = $2`,
      values: [client.tenantId, own],
    })
  await change(`answer = null, locked_until = now() + interval '30 seconds'`)
  t.is(refusal(await write(SIGN, signBody(did, tag)), 409), 'idempotency.in_flight')
  t.is(await count('select count(*)::int as count from idempotency_keys where key = $1', [own]), 1, 'still the other’s')
  await change('locked_until = null')
  t.true(worked(await write(SIGN, signBody(did, tag))))
  t.is(await credentials(tag), 1)
})

test('401 and 403 are not kept: the same key signs with the right token (D-004)', async (t) => {
  const { client, write, did } = await tenant()
  const tag = randomUUID()
  t.is((await write(SIGN, signBody(did, tag), { token: '' })).status, 401)
  t.is((await write(SIGN, signBody(did, tag), { token: 'x.y.z' })).status, 401)
  const reading = await world.tokenOf(client, 'semantic-credentials:read')
  t.is((await write(SIGN, signBody(did, tag), { token: reading })).status, 403)
  t.true(worked(await write(SIGN, signBody(did, tag))))
  t.is(await credentials(tag), 1)
})

test('429 is not kept: the same key signs in the next minute (D-004)', async (t) => {
  const { token, write, did } = await tenant()
  const tag = randomUUID()
  // the windows that have begun end in 10 s rather than in a minute
  await world.dependencies.sql.query({ text: 'update rate_limits set expire = $1', values: [Date.now() + 10_000] })
  const asked = Array.from({ length: PER_MINUTE + 1 }, () => world.ask('/v1/dids?limit=0', { token }))
  t.true((await Promise.all(asked)).some(({ status }) => status === 429))
  const refused = await write(SIGN, signBody(did, tag))
  t.is(refusal(refused, 429), 'request.too_many')
  await wait(Number(refused.headers.get('retry-after')) * 1_000 + 100)
  const again = await write(SIGN, signBody(did, tag))
  t.true(worked(again), again.text)
  t.is(await credentials(tag), 1)
})

test('408 is not kept: the same key signs when the whole body comes (D-004)', async (t) => {
  const { token, key, write, did } = await tenant()
  const tag = randomUUID()
  const body = JSON.stringify(signBody(did, tag))
  const socket = openSocket({ host: 'localhost', port: world.config.port })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(
    [
      `POST ${SIGN} HTTP/1.1`,
      `Host: localhost:${world.config.port}`,
      `Authorization: Bearer ${token}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body.slice(0, 20),
    ].join('\r\n'),
  )
  await once(socket, 'close')
  t.regex(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 [\s\S]*request\.timeout/)
  const again = await write(SIGN, JSON.parse(body))
  t.true(worked(again), again.text)
  t.is(await credentials(tag), 1)
})

/** An operation that answers what the test says, behind the platform's own handling of keys. */
async function openOperation(changes: Partial<Idempotency> = {}) {
  const idempotency = { ...platformOf(world).idempotency, ...changes }
  const state = { status: 0, calls: 0 }
  const app = express()
  app.use((request, response, next) => {
    request.rawBody = Buffer.alloc(0)
    response.locals.log = world.dependencies.log
    next()
  })
  app.all('/', async (request, response) => {
    try {
      await claimKey(request, idempotency, { ...world.first, scopes: SCOPES })
    } catch (error) {
      if (!(error instanceof Replay)) throw error
      return error.send(response)
    }
    state.calls += 1
    response.status(state.status).end(`call ${state.calls}`)
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async ask(status: number, key: string, method = 'POST') {
      state.status = status
      const headers = { 'idempotency-key': key, connection: 'close' }
      const signal = AbortSignal.timeout(30_000)
      const reply = await fetch(`http://127.0.0.1:${port}/`, { method, headers, signal })
      return { status: reply.status, text: await reply.text(), replayed: reply.headers.get('idempotency-replayed') }
    },
    close: () => {
      server.close()
    },
  }
}

test('of an operation’s answers 2xx and final 4xx are kept, and 401, 403, 408, 409, 429 and 5xx are not (D-004)', async (t) => {
  const operation = await openOperation()
  t.teardown(operation.close)
  for (const status of [200, 201, 202, 400, 404, 405, 410, 413, 415, 422]) {
    const key = randomUUID()
    const first = await operation.ask(status, key)
    t.like(first, { status, replayed: null })
    t.like(await operation.ask(500, key), { status, text: first.text, replayed: 'true' }, `${status} is kept`)
  }
  for (const status of [401, 403, 408, 409, 429, 500, 501, 502, 503, 504, 507]) {
    const key = randomUUID()
    const first = await operation.ask(status, key)
    t.is(first.status, status)
    const second = await operation.ask(status, key)
    t.like(second, { status, replayed: null }, `${status} is not kept`)
    t.not(second.text, first.text)
    const third = await operation.ask(200, key)
    t.like(third, { status: 200, replayed: null })
    t.like(await operation.ask(status, key), { status: 200, text: third.text, replayed: 'true' })
  }
})

test('an answer that cannot be kept is given all the same', async (t) => {
  const fails = () => Promise.reject(new Error('the database is away'))
  const operation = await openOperation({ answer: fails, release: fails })
  t.teardown(operation.close)
  for (const status of [201, 422, 503]) t.like(await operation.ask(status, randomUUID()), { status, replayed: null })
})

test('a key counts for every method that writes, and for none that reads (D-004)', async (t) => {
  const operation = await openOperation()
  t.teardown(operation.close)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const key = randomUUID()
    const first = await operation.ask(200, key, method)
    t.like(await operation.ask(200, key, method), { text: first.text, replayed: 'true' }, method)
  }
  for (const method of ['GET', 'HEAD']) {
    const key = randomUUID()
    await operation.ask(200, key, method)
    t.like(await operation.ask(200, key, method), { status: 200, replayed: null }, method)
    t.is(await count('select count(*)::int as count from idempotency_keys where key like $1', [`% ${key}`]), 0)
  }
})
