import { randomUUID } from 'node:crypto'
import test from 'ava'
import { refuseIssuer } from '../../activities/credentials/refusals.ts'
import { createDidResolver } from '../../activities/dids/resolver.ts'
import { createSigners } from '../../activities/dids/signers.ts'
import { singleFlight } from '../../activities/frame/caches.ts'
import { createContextStore } from '../../activities/frame/contexts.ts'
import type { Call } from '../../activities/frame/operations.ts'
import type { Outbound } from '../../activities/frame/outbound/index.ts'
import { createPlatform, type Platform } from '../../activities/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { withStanding } from '../support/credentials/dids.ts'
import { codeOf } from '../support/parts/keys.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const START = Date.parse('2030-01-01T00:00:00Z')

/** A process of the platform's, with a clock that the test sets and a count of its questions to the database. */
function processOf(more: Partial<World['dependencies']> = {}) {
  let time = START
  let asked = 0
  const { systemSql } = world.dependencies
  const platform = createPlatform({
    ...world.dependencies,
    systemSql: {
      query(query) {
        asked += 1
        return systemSql.query(query)
      },
    },
    now: () => new Date(time),
    ...more,
  })
  return {
    platform,
    asked: () => asked,
    setClock(ms: number) {
      time = START + ms
    },
  }
}

const callOf = (tenantId: string): Call => ({ tenantId, clientId: randomUUID(), requestId: randomUUID() })

test('what a tenant forbids counts within 5 s in a process that remembers its permission (D-146)', async (t) => {
  const { tenantId } = await world.addTenant()
  const [here, there] = [processOf(), processOf()]
  const allowed = async () => [
    await there.platform.settings.isOn(tenantId, 'vcApi'),
    await there.platform.settings.isOn(tenantId, 'fetchUnknownContexts'),
  ]
  const update = (value: boolean) =>
    here.platform.settings.updateSettings(callOf(tenantId), { vcApi: value, fetchUnknownContexts: value })
  await update(true)
  t.deepEqual(await allowed(), [true, true])
  await update(false)
  there.setClock(5_000)
  t.deepEqual(await allowed(), [true, true], 'remembered')
  there.setClock(5_001)
  t.deepEqual(await allowed(), [false, false])
  await update(true)
  t.deepEqual(await allowed(), [true, true], 'what is allowed counts at once (D-146)')
})

test('what a tenant forbids counts at once in the process that was told, whatever it remembers (D-146)', async (t) => {
  const { tenantId } = await world.addTenant()
  const { settings } = processOf().platform
  for (const value of [true, false, true]) {
    await settings.updateSettings(callOf(tenantId), { vcApi: value, fetchUnknownContexts: value })
    t.is(await settings.isOn(tenantId, 'vcApi'), value)
    t.is(await settings.isOn(tenantId, 'fetchUnknownContexts'), value)
  }
})

test('a host is looked up once in 10 s, whether it is somebody’s or nobody’s', async (t) => {
  const { tenantId } = await world.addTenant()
  const process = processOf()
  const host = `${randomUUID()}.example`
  const find = async () => (await process.platform.tenants.byHost(host))?.id
  const setVerified = (verified: boolean) =>
    world.dependencies.systemSql.query({
      text: `insert into domains (id, tenant_id, name, domain, verification_token, is_verified)
        values ($1, $1, '', $2, '', $3) on conflict (id) do update set is_verified = excluded.is_verified`,
      values: [tenantId, host, verified],
    })
  t.is(await find(), undefined)
  await setVerified(true)
  process.setClock(10_000)
  t.is(await find(), undefined)
  t.is(process.asked(), 1)
  process.setClock(10_001)
  t.is(await find(), tenantId)
  await setVerified(false)
  process.setClock(20_001)
  t.is(await find(), tenantId)
  t.is(process.asked(), 2)
  process.setClock(20_002)
  t.is(await find(), undefined, 'a domain that is not verified any more is nobody’s')
})

const present = ({ platform }: { platform: Platform }, did: string): Promise<string> =>
  codeOf(
    platform.presentations.signPresentation(callOf(world.first.tenantId), {
      presentation: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiablePresentation'],
        holder: did,
      },
      did,
      proofType: 'eddsa-rdfc-2022',
    }),
  )

test('a deleted DID signs nothing any more, here at once and elsewhere within 5 s, while its keys wait (D-022)', async (t) => {
  const { keys } = world.dependencies
  const lasting = { ...keys, delete: () => Promise.reject(new Unavailable('keys', 'The key store is away.')) }
  const [here, there] = [processOf({ keys: lasting }), processOf({ keys: lasting })]
  const did = await createDid(world)
  for (const process of [here, there]) t.is(await present(process, did), 'none')
  await here.platform.dids.deleteDid(callOf(world.first.tenantId), did)
  t.is(await present(here, did), 'presentation.signer_unknown')
  there.setClock(5_000)
  t.is(await present(there, did), 'none', 'remembered')
  there.setClock(5_001)
  t.is(await present(there, did), 'presentation.signer_unknown')
})

test('an issuer that a process remembers is its own tenant’s, and unknown to every other', async (t) => {
  const signers = createSigners(withStanding(world.dependencies))
  const find = (tenantId: string, named: string) => signers.signerOf(tenantId, named, refuseIssuer('issuer'))
  const did = await createDid(world)
  t.is((await find(world.first.tenantId, did)).did, did)
  const { tenantId } = await world.addTenant()
  t.is(await codeOf(find(tenantId, did)), 'credential.issuer_unknown')
})

/** An outside that answers the same to everything, or fails, and counts. */
function outside(body?: object) {
  const calls = { count: 0 }
  const outbound: Outbound = {
    async fetch() {
      calls.count += 1
      if (!body) throw new Unavailable('outbound', 'no connection')
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)), finalAddress: '192.0.2.1' }
    },
  }
  return { outbound, calls }
}

test('a DID document is fetched again 5 minutes after it was fetched, a failure 10 s after it', async (t) => {
  const did = 'did:web:issuer.example'
  for (const [body, lifetimeMs] of [
    [{ id: did }, 300_000],
    [undefined, 10_000],
  ] as const) {
    let time = START
    const { outbound, calls } = outside(body)
    const resolver = createDidResolver({ outbound, now: () => new Date(time) })
    for (const [ms, count] of [
      [0, 1],
      [lifetimeMs - 1, 1],
      [lifetimeMs, 2],
      [2 * lifetimeMs - 1, 2],
      [2 * lifetimeMs, 3],
    ] as const) {
      time = START + ms
      t.is(await codeOf(resolver.resolve(did)), body ? 'none' : 'did.unresolvable')
      t.is(calls.count, count, `${ms} ms`)
    }
  }
})

test('the document of a deleted DID is not remembered', async (t) => {
  const id = randomUUID()
  const did = `did:web:${id}.example`
  const { outbound, calls } = outside({ id: did })
  const { platform } = processOf({ outbound })
  await world.dependencies.systemSql.query({
    text: `insert into dids (id, tenant_id, did, method, registration_status, document, hosting)
      values ($1, $2, $3, 'WEB', 'COMPLETED', '{}', 'caller')`,
    values: [id, world.first.tenantId, did],
  })
  for (let look = 0; look < 2; look += 1) await platform.didResolver.resolve(did)
  t.is(calls.count, 1)
  await platform.dids.deleteDid(callOf(world.first.tenantId), did)
  await platform.didResolver.resolve(did)
  t.is(calls.count, 2)
})

test('a context that cannot be fetched is asked for again after 10 s, whoever brings it', async (t) => {
  let time = START
  const { outbound, calls } = outside()
  const rows = {
    find: async () => undefined,
    findAll: async () => [],
    insert: async () => Promise.reject(new Error('none')),
    markRegistered: async () => undefined,
    count: async () => 0,
  }
  const store = createContextStore({ outbound, rows, now: () => new Date(time) })
  for (const [ms, count] of [
    [0, 1],
    [9_999, 1],
    [10_000, 2],
  ] as const) {
    time = START + ms
    for (const tenant of ['one', 'two'])
      t.is(
        await codeOf(store.lookup(tenant, 'https://contexts.example/a', { allowFetch: async () => true })),
        'context.unavailable',
      )
    t.is(calls.count, count, `${ms} ms`)
  }
})

/** Work that ends when told, and counts. */
function heldWork() {
  const gate = { begun: 0, end: (_value: string) => {}, fail: (_error: Error) => {} }
  const work = () => {
    gate.begun += 1
    return new Promise<string>((resolve, reject) => Object.assign(gate, { end: resolve, fail: reject }))
  }
  return { gate, work }
}

test('work of one name runs once at a time, and whoever asks meanwhile gets its outcome', async (t) => {
  const flight = singleFlight<string>()
  const { gate, work } = heldWork()
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
  const { gate, work } = heldWork()
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
