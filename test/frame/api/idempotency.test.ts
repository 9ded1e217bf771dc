import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDid, payload, type Signed } from '../../support/credentials/credentials.ts'
import { course, createTemplate, refusal, TEMPLATES } from '../../support/credentials/templates.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { type Ask, openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const SIGN = '/v1/credentials/web-semantic/sign'

const signBody = (tag: string) => ({ payload: payload(did), proofType: 'eddsa-rdfc-2022', revocable: true, tag })

const write = (path: string, body: unknown, key: string, more: Ask = {}): Promise<Reply> =>
  world.ask(path, { token: world.token, body, ...more, headers: { ...more.headers, 'idempotency-key': key } })

const code = (reply: Reply) => reply.json<{ type: string }>().type.replace('/problems#', '')

const count = async (sql: string, values: unknown[] = []): Promise<number> => {
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({ text: sql, values })
  return rows[0]?.count ?? Number.NaN
}

/** A client’s key, as its row has it. */
const ownKey = (key: string) => `${world.first.clientId} ${key}`

const credentialsTagged = (tag: string) => count('select count(*)::int as count from credentials where tag = $1', [tag])

/** As after a crash between the commit and the answer: the effect stands, nobody was told, and the lease has run out. */
const forgetAnswer = (key: string) =>
  count(
    `with gone as (update idempotency_keys set answer = null, locked_until = now() - interval '1 second'
      where key = $1 returning 1) select count(*)::int as count from gone`,
    [ownKey(key)],
  )

test('50 parallel signs with one Idempotency-Key: one credential', async (t) => {
  const [key, tag] = [randomUUID(), randomUUID()]
  const replies = await Promise.all(Array.from({ length: 50 }, () => write(SIGN, signBody(tag), key)))
  const good = replies.filter(({ status }) => status === 200)
  t.true(good.length >= 1)
  t.is(new Set(good.map(({ text }) => text)).size, 1)
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    t.is(reply.status, 409)
    t.is(code(reply), 'idempotency.in_flight')
  }
  t.is(await credentialsTagged(tag), 1)
  const again = await write(SIGN, signBody(tag), key)
  t.true(good.some(({ text }) => text === again.text))
})

test('the first answer again, byte for byte, with its status and its request id', async (t) => {
  const key = randomUUID()
  const body = { method: 'KEY', options: {} }
  const first = await write('/v1/dids', body, key)
  const again = await write('/v1/dids', body, key)
  t.is(first.status, 201)
  t.is(again.status, 201)
  t.is(again.text, first.text)
  t.is(again.headers.get('content-type'), first.headers.get('content-type'))
  t.is(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  t.is(first.headers.get('idempotency-replayed'), null)
  t.is(again.headers.get('idempotency-replayed'), 'true')
})

test('with another body, method or path the same key is 422', async (t) => {
  const [key, tag] = [randomUUID(), randomUUID()]
  t.is((await write(SIGN, signBody(tag), key)).status, 200)
  for (const reply of [
    await write(SIGN, signBody(`${tag}x`), key),
    await write('/v1/dids', signBody(tag), key),
    await write(`${SIGN}?x=1`, signBody(tag), key),
    await write('/v1/credentials/web-semantic/verify', signBody(tag), key),
    await write('/v1/dids/x', undefined, key, { method: 'DELETE' }),
  ]) {
    t.is(reply.status, 422)
    t.is(code(reply), 'idempotency.key_reused')
  }
  t.is(await credentialsTagged(`${tag}x`), 0)
})

test('a key is its tenant’s: another tenant’s same key is another request', async (t) => {
  const other = await world.addTenant()
  const token = await world.tokenOf(other)
  const key = randomUUID()
  const body = { method: 'KEY', options: {} }
  const [mine, theirs] = [await write('/v1/dids', body, key), await write('/v1/dids', body, key, { token })]
  t.is(theirs.status, 201)
  t.not(theirs.text, mine.text)
  t.is((await write('/v1/dids', { ...body, options: { keyType: 'p256' } }, key, { token })).status, 422)
  t.is((await write('/v1/dids', body, key)).text, mine.text)
})

for (const [name, key] of [
  ['empty', ''],
  ['256 characters', 'k'.repeat(256)],
  ['with a space', 'a b'],
  ['not ASCII', 'schl\u00fcssel'],
] as const)
  test(`a key that is ${name} is refused`, async (t) => {
    const reply = await write('/v1/dids', { method: 'KEY', options: {} }, key)
    t.is(reply.status, 400)
    t.is(code(reply), 'idempotency.key_invalid')
  })

test('255 characters and every printable one make a key; a read takes none', async (t) => {
  const printable = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('')
  for (const key of ['k'.repeat(255), printable])
    t.is((await write('/v1/dids', { method: 'KEY', options: {} }, key)).status, 201)
  t.is((await world.ask('/v1/dids', { token: world.token, headers: { 'idempotency-key': '' } })).status, 200)
})

test('a final refusal is repeated as it was (D-004)', async (t) => {
  const key = randomUUID()
  const foreign = { ...signBody('x'), payload: payload('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK') }
  const first = await write(SIGN, foreign, key)
  t.is(first.status, 400)
  const again = await write(SIGN, foreign, key)
  t.is(again.status, 400)
  t.is(again.text, first.text)
  t.is(again.headers.get('idempotency-replayed'), 'true')
  const missing = randomUUID()
  const path = `/v1/credentials/web-semantic/${randomUUID()}/revocation-status`
  const gone = await write(path, { is_revoked: true }, missing)
  t.is(gone.status, 404)
  t.is((await write(path, { is_revoked: true }, missing)).text, gone.text)
})

test('a refusal that holds for now alone is not kept: the same request under the same key is tried again (D-004)', async (t) => {
  const { id } = await createTemplate(world)
  const put = (body: unknown, key: string) => write(`${TEMPLATES}/${id}`, body, key, { method: 'PUT' })
  const key = randomUUID()
  const early = course({ name: 'Third name', version: 2 })
  const first = await put(early, key)
  t.is(refusal(first, 409), 'credential_template.version_differs')
  t.is((await put(course({ name: 'Second name' }), randomUUID())).status, 200)
  const second = await put(early, key)
  t.is(second.status, 200, second.text)
  t.is(second.headers.get('idempotency-replayed'), null)
})

test('a crash after the commit: the same credential, and no second row', async (t) => {
  const [key, tag] = [randomUUID(), randomUUID()]
  const first = await write(SIGN, signBody(tag), key)
  t.is(await forgetAnswer(key), 1)
  const again = await write(SIGN, signBody(tag), key)
  t.is(again.status, 200)
  t.deepEqual(again.json<Signed>(), first.json<Signed>())
  t.is(again.headers.get('idempotency-replayed'), null, 'worked out again, not repeated')
  t.is(await credentialsTagged(tag), 1)
  t.is((await write(SIGN, signBody(tag), key)).text, again.text)
})

test.serial('a crash after the commit: the same DID, and no second key', async (t) => {
  const key = randomUUID()
  const body = { method: 'KEY', options: {} }
  const first = await write('/v1/dids', body, key)
  await forgetAnswer(key)
  const again = await write('/v1/dids', body, key)
  t.is(again.status, 201)
  t.deepEqual(again.json(), first.json())
  t.is(await count('select count(*)::int as count from dids where id = $1', [first.json().id]), 1)
  t.is(await count('select count(*)::int as count from keys where did_id = $1', [first.json().id]), 1)
  const unowned = 'select count(*)::int as count from keys where did_id is null and tenant_id = $1'
  t.is(await count(unowned, [world.first.tenantId]), 0)
})

test('a crash after the commit: a deletion stays one, and is 204 again', async (t) => {
  const gone = await createDid(world)
  const [key, path] = [randomUUID(), `/v1/dids/${encodeURIComponent(gone)}`]
  t.is((await write(path, undefined, key, { method: 'DELETE' })).status, 204)
  await forgetAnswer(key)
  t.is((await write(path, undefined, key, { method: 'DELETE' })).status, 204)
  t.is((await write(path, undefined, key, { method: 'DELETE' })).status, 204)
  t.is((await write(path, undefined, randomUUID(), { method: 'DELETE' })).status, 404)
})

test('a crash after the commit: what answers nothing of its own is done once too, and answered again', async (t) => {
  const template = await createTemplate(world)
  const { id } = (await write(SIGN, signBody(randomUUID()), randomUUID())).json<Signed>()
  for (const [path, method, body] of [
    [`${TEMPLATES}/${template.id}`, 'DELETE', undefined],
    [`/v1/credentials/web-semantic/${id}/revocation-status`, 'POST', { is_revoked: true }],
  ] as const) {
    const key = randomUUID()
    const first = await write(path, body, key, { method })
    t.true(first.status < 300, first.text)
    t.is(await forgetAnswer(key), 1)
    const again = await write(path, body, key, { method })
    t.deepEqual([again.status, again.text], [first.status, first.text])
    t.is(again.headers.get('idempotency-replayed'), null, 'worked out again, not repeated')
  }
  const changes = `select count(*)::int as count from logs where type like '%_SET_STATUS_SUCCESS' and metadata ->> 'id' = $1`
  t.is(await count(changes, [id]), 1)
})

test('while a try is under way the key is held for its lease, and free after a crash before the commit', async (t) => {
  const key = randomUUID()
  const body = { method: 'KEY', options: {} }
  t.is((await write('/v1/dids', body, key)).status, 201)
  await count(
    `with held as (update idempotency_keys set answer = null, effect = null,
      locked_until = now() + interval '30 seconds' where key = $1 returning 1) select count(*)::int as count from held`,
    [ownKey(key)],
  )
  t.is((await write('/v1/dids', body, key)).status, 409)
  await forgetAnswer(key)
  t.is((await write('/v1/dids', body, key)).status, 201)
})

test('of two tries that run at once because one outlived its lease, one alone has an effect', async (t) => {
  const platform = platformOf(world)
  const key = randomUUID()
  const { tenantId, clientId } = world.first
  const hash = Buffer.alloc(32, 1)
  const claim = await platform.idempotency.claim(tenantId, key, hash)
  if ('answer' in claim) return t.fail('nothing was answered yet')
  const calls = [randomUUID(), randomUUID()].map((requestId) => ({ tenantId, clientId, requestId, idempotency: claim }))
  const outcomes = await Promise.allSettled(
    calls.map((call) => platform.dids.createDid(call, { method: 'KEY', options: {}, isDefaultIssuer: false })),
  )
  t.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const done = 'select count(*)::int as count from logs where request_id = any($1)'
  t.is(await count(done, [calls.map(({ requestId }) => requestId)]), 1)
})

test('after 24 hours the key is a new one, and so is what it makes', async (t) => {
  const [key, tag] = [randomUUID(), randomUUID()]
  const first = await write(SIGN, signBody(tag), key)
  await count(
    `with aged as (update idempotency_keys set created_at = created_at - interval '25 hours' where key = $1 returning 1)
      select count(*)::int as count from aged`,
    [ownKey(key)],
  )
  const second = await write(SIGN, signBody(tag), key)
  t.is(second.status, 200, second.text)
  t.not(second.json<Signed>().id, first.json<Signed>().id)
  t.is(await credentialsTagged(tag), 2)
})

test('what is kept of answers and effects cannot be read from the database', async (t) => {
  const [key, tag] = [randomUUID(), `canary-${randomUUID()}`]
  t.is((await write(SIGN, signBody(tag), key)).status, 200)
  const { rows } = await world.dependencies.systemSql.query<{ kept: string }>({
    text: `select encode(effect, 'hex') || encode(answer, 'hex') as kept from idempotency_keys where key = $1`,
    values: [ownKey(key)],
  })
  const kept = Buffer.from(rows[0]?.kept ?? '', 'hex')
  t.true(kept.length > 500)
  t.false(kept.includes(tag))
  t.false(kept.includes('did:key'))
})

test('an attempt that comes too late neither replaces nor forgets the answer of the one that took its place', async (t) => {
  const { idempotency } = platformOf(world)
  const { tenantId } = world.first
  const [key, hash] = [randomUUID(), Buffer.alloc(32)]
  const answer = (status: number) => ({ status, headers: {}, body: Buffer.from('{}') })
  await idempotency.claim(tenantId, key, hash)
  await idempotency.answer(tenantId, key, answer(204))
  await idempotency.answer(tenantId, key, answer(404))
  await idempotency.release(tenantId, key, { forget: true })
  await idempotency.release(tenantId, key, { forget: false })
  t.like(await idempotency.claim(tenantId, key, hash), { answer: { status: 204 } })
})
