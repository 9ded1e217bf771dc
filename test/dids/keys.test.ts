import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createActivities, createPlatform } from '../../activities/index.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { type DidAnswer, didsOf } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
let dids: ReturnType<typeof didsOf>
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  dids = didsOf(world, world.token)
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await world.dependencies.systemSql.query<Row>({ text, values })).rows

const inStore = async (keyId: string) =>
  (await rows('select 1 from key_envelopes where key_id = $1', keyId)).length === 1
const keyRow = async (keyId: string) => (await rows('select 1 from keys where id = $1', keyId)).length === 1

/** The steps of the workflows as the worker has them, with parts of the test's own. */
const stepsWith = (more: Partial<World['dependencies']> = {}) => createActivities({ ...world.dependencies, ...more })
const platformWith = (more: Partial<World['dependencies']>) => createPlatform({ ...world.dependencies, ...more })

const away = () => Promise.reject(new Unavailable('keys', 'The key store is away.', 1))
const callOf = () => ({ tenantId: world.first.tenantId, clientId: world.first.clientId, requestId: randomUUID() })
const subjectOf = (didId: string) => ({ tenantId: world.first.tenantId, didId })

/** A did:web whose workflow has not begun: there is no Temporal here. */
const accepted = (path: string) => dids.createWeb(`${names.origin}/${path}`)

test.serial('a key whose DID was never finished is destroyed after ten minutes, not before', async (t) => {
  const { keys } = world.dependencies
  const { tenantId } = world.first
  const make = async (age: string, didId: string | null) => {
    const keyId = randomUUID()
    await rows(
      `insert into keys (id, tenant_id, key_type, did_id, created_at) values ($1, $2, 'ed25519', $3, now() - $4::interval)`,
      keyId,
      tenantId,
      didId,
      age,
    )
    await keys.create({ tenantId, keyId, keyType: 'ed25519' })
    return keyId
  }
  const { id: owner } = (await dids.create('KEY', {})).json<DidAnswer>()
  const [old, young, owned] = [
    await make('11 minutes', null),
    await make('9 minutes', null),
    await make('1 year', owner),
  ]
  t.is((await stepsWith().reapUnownedKeys()).reaped, 1)
  t.deepEqual([await inStore(old), await keyRow(old)], [false, false])
  t.deepEqual([await inStore(young), await keyRow(young)], [true, true])
  t.deepEqual([await inStore(owned), await keyRow(owned)], [true, true])
  t.is((await stepsWith().reapUnownedKeys()).reaped, 0)
})

test.serial('a crash between key and DID leaves a key that the reaper finds', async (t) => {
  let made = ''
  const { keys } = world.dependencies
  const crashing = {
    ...keys,
    async create(ref: Parameters<typeof keys.create>[0]) {
      await keys.create(ref)
      made = ref.keyId
      throw new Error('a crash right after the key was made')
    },
  }
  await t.throwsAsync(
    platformWith({ keys: crashing }).dids.createDid(callOf(), { method: 'KEY', options: {}, isDefaultIssuer: false }),
    { message: /a crash/ },
  )
  t.true(await inStore(made))
  await rows(`update keys set created_at = now() - interval '11 minutes' where id = $1`, made)
  await stepsWith().reapUnownedKeys()
  t.deepEqual([await inStore(made), await keyRow(made)], [false, false])
})

test.serial('a key that cannot be destroyed now stays known, and is destroyed by the next round', async (t) => {
  const keyId = randomUUID()
  const { tenantId } = world.first
  await rows(
    `insert into keys (id, tenant_id, key_type, created_at) values ($1, $2, 'p256', now() - interval '1 hour')`,
    keyId,
    tenantId,
  )
  const { keys } = world.dependencies
  await keys.create({ tenantId, keyId, keyType: 'p256' })
  await t.throwsAsync(stepsWith({ keys: { ...keys, delete: away, ready: away } }).reapUnownedKeys(), {
    instanceOf: Unavailable,
  })
  t.deepEqual([await inStore(keyId), await keyRow(keyId)], [true, true])
  await stepsWith().reapUnownedKeys()
  t.deepEqual([await inStore(keyId), await keyRow(keyId)], [false, false])
})

test.serial(
  'hundreds of keys without an owner go in one pass, the oldest first, and one that fails holds up none',
  async (t) => {
    const { keys } = world.dependencies
    const { tenantId } = world.first
    const made = await rows<{ id: string }>(
      `insert into keys (id, tenant_id, key_type, created_at)
     select gen_random_uuid(), $1, 'ed25519', now() - interval '1 day' + n * interval '1 second'
     from generate_series(1, 450) n returning id`,
      tenantId,
    )
    const ids = made.map(({ id }) => id)
    const seen: string[] = []
    const failing = {
      ...keys,
      async delete(ref: Parameters<typeof keys.delete>[0]) {
        seen.push(ref.keyId)
        if (ref.keyId === ids[0]) throw new Refusal('key.store_refused', 'not this one')
      },
    }
    await t.throwsAsync(stepsWith({ keys: failing }).reapUnownedKeys(), { message: new RegExp(`${ids[0]}$`) })
    t.deepEqual(seen, ids)
    t.deepEqual(await rows('select id from keys where id = any($1)', ids), [{ id: ids[0] }])
    t.is((await stepsWith().reapUnownedKeys()).reaped, 1)
  },
)

test.serial('a refused default issuer makes no key', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const create = () => world.ask('/v1/dids', { token, body: { method: 'KEY', options: {}, issuer: true } })
  t.is((await create()).status, 201)
  const count = async () => (await rows<{ count: string }>('select count(*) from keys'))[0]?.count
  const before = await count()
  t.is((await create()).status, 409)
  t.is(await count(), before)
})

test.serial(
  'while the key store is away a deletion holds at once; the keys are destroyed by the workflow',
  async (t) => {
    const did = await createDid(world)
    const { id, metadata } = (await dids.list('?limit=1000')).dids.find((each) => each.did === did) ?? {}
    const keyId = metadata?.keys[0]?.kmsKeyId ?? ''
    const { keys } = world.dependencies
    await platformWith({ keys: { ...keys, delete: away } }).dids.deleteDid(callOf(), did)
    t.is((await dids.resolve(did)).status, 404)
    await t.throwsAsync(sign(world, did), { message: /"status":400/ })
    t.deepEqual([await inStore(keyId), await keyRow(keyId)], [true, true], 'the workflow knows what to destroy')
    const [entry] = await rows<{ workflow_type: string }>('select workflow_type from outbox where object_id = $1', id)
    t.is(entry?.workflow_type, 'deleteDid')
    const steps = stepsWith({ keys: { ...keys, delete: away } })
    await t.throwsAsync(steps.destroyDidKeys(subjectOf(id ?? '')), { instanceOf: Unavailable })
    await stepsWith().destroyDidKeys(subjectOf(id ?? ''))
    await stepsWith().removeDid(subjectOf(id ?? ''))
    t.deepEqual([await inStore(keyId), await keyRow(keyId)], [false, false])
    t.is((await rows('select 1 from dids where id = $1', id)).length, 0)
  },
)

test.serial('every step of a registration may run twice and changes nothing the second time', async (t) => {
  const { id, did } = await accepted('twice')
  const subject = subjectOf(id)
  const { createDidKeys, writeDidDocument, lookUpDid, completeDid } = stepsWith()
  const state = () =>
    rows(
      `select d.registration_status, d.failure_reason, d.document::text, k.id, k.public_key, k.custody, k.did_url
       from dids d join keys k on k.did_id = d.id where d.id = $1 order by k.id`,
      id,
    )
  for (const step of [createDidKeys, writeDidDocument, completeDid]) {
    await step(subject)
    const once = await state()
    await step(subject)
    t.deepEqual(await state(), once)
  }
  t.is((await rows('select 1 from key_envelopes e join keys k on k.id = e.key_id where k.did_id = $1', id)).length, 5)
  t.deepEqual(await lookUpDid(subject), { resolved: true })
  t.deepEqual(await lookUpDid(subject), { resolved: true })
  t.is((await dids.resolve(did)).json().registrationStatus, 'COMPLETED')
})

test.serial('a crash in the middle of the keys: the next attempt keeps what is there and makes the rest', async (t) => {
  const { id } = await accepted('halfway')
  const { keys } = world.dependencies
  let calls = 0
  const failing = {
    ...keys,
    create: (ref: Parameters<typeof keys.create>[0]) => (++calls > 2 ? away() : keys.create(ref)),
  }
  await t.throwsAsync(stepsWith({ keys: failing }).createDidKeys(subjectOf(id)), { instanceOf: Unavailable })
  const envelopes = () =>
    rows<{ public_key: Buffer }>(
      'select e.public_key from key_envelopes e join keys k on k.id = e.key_id where k.did_id = $1 order by e.created_at',
      id,
    )
  const before = await envelopes()
  t.is(before.length, 2)
  await t.throwsAsync(stepsWith().writeDidDocument(subjectOf(id)), { message: /no public key yet/ })
  await stepsWith().createDidKeys(subjectOf(id))
  const after = await envelopes()
  t.is(after.length, 5)
  t.deepEqual(after.slice(0, 2), before)
})

test.serial('on a slow key store each attempt makes the keys that are missing, and no other one', async (t) => {
  const { id } = await accepted('slowly')
  const { keys } = world.dependencies
  const asked: string[] = []
  /** As on a store that is so slow that the attempt ends after two keys. */
  const slow = () => {
    let left = 2
    return {
      ...keys,
      create: (ref: Parameters<typeof keys.create>[0]) => {
        if (left-- <= 0) return away()
        asked.push(ref.keyId)
        return keys.create(ref)
      },
    }
  }
  for (let attempt = 0; attempt < 2; attempt += 1)
    await t.throwsAsync(stepsWith({ keys: slow() }).createDidKeys(subjectOf(id)), { instanceOf: Unavailable })
  await stepsWith({ keys: slow() }).createDidKeys(subjectOf(id))
  t.deepEqual([asked.length, new Set(asked).size], [5, 5])
})

test.serial('no key is made for a DID that is deleted meanwhile, and none of a row that is gone stays', async (t) => {
  const { keys } = world.dependencies
  for (const [path, leave] of [
    ['leaves', (id: string) => rows('update dids set deleted_at = now() where id = $1', id)],
    ['is-gone', (id: string) => rows('delete from keys where did_id = $1', id)],
  ] as const) {
    const { id } = await accepted(path)
    const made: string[] = []
    const store = {
      ...keys,
      async create(ref: Parameters<typeof keys.create>[0]) {
        made.push(ref.keyId)
        const result = await keys.create(ref)
        await leave(id)
        return result
      },
    }
    const gone = { instanceOf: Refusal, code: 'did.not_found' }
    await t.throwsAsync(stepsWith({ keys: store }).createDidKeys(subjectOf(id)), gone, path)
    t.is(made.length, 1, path)
    t.is(await inStore(made[0] ?? ''), path === 'leaves', 'what has a row is destroyed with the DID')
  }
})

test.serial('the steps of a deletion may run twice; those of a registration end once the DID is deleted', async (t) => {
  const { id, did } = await accepted('gone')
  const subject = subjectOf(id)
  const { createDidKeys, writeDidDocument, lookUpDid, completeDid, failDid, destroyDidKeys, removeDid } = stepsWith()
  await createDidKeys(subject)
  await writeDidDocument(subject)
  t.is((await names.read('issuer.test', '/gone/did.json')).status, 200)
  t.is((await dids.remove(did)).status, 204)
  t.is((await names.read('issuer.test', '/gone/did.json')).status, 404)
  const gone = { instanceOf: Refusal, code: 'did.not_found' }
  const registration = [createDidKeys, writeDidDocument, lookUpDid, completeDid]
  for (const step of registration) await t.throwsAsync(async () => step(subject), gone)
  await t.throwsAsync(failDid({ ...subject, reason: 'none' }), gone)
  for (const step of [destroyDidKeys, destroyDidKeys, removeDid, removeDid, destroyDidKeys]) await step(subject)
  t.is((await rows('select 1 from keys where did_id = $1', id)).length, 0)
  for (const step of registration) await t.throwsAsync(async () => step(subject), gone)
})

test.serial('a DID whose creation was answered is asked for once, however often the request comes', async (t) => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { method: 'WEB', options: { url: `${names.origin}/once` } }
  const ask = () => world.ask('/v1/dids', { token: world.token, body, headers })
  const first = await ask()
  t.is(first.status, 201)
  t.is((await ask()).text, first.text)
  t.is((await rows('select 1 from outbox where object_id = $1', first.json<DidAnswer>().id)).length, 1)
})
