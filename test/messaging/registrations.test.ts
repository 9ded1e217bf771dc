import { randomUUID } from 'node:crypto'
import test from 'ava'
import { UnsecuredJWT } from 'jose'
import { createDid } from '../support/credentials/credentials.ts'
import { didsOf, loggedAbout } from '../support/credentials/dids.ts'
import { deliveryOf, INBOXES, inboxesOf, stranger } from '../support/messaging.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const own = () => inboxesOf(world, world.token)
const problemOf = (reply: Reply) => reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
const registeredIn = async (id: string) => (await own().dids(id)).dids.map(({ did }) => did)

test('a DID of the tenant is registered without a jwt, and a repetition changes nothing (specification, registerDID)', async (t) => {
  const [id, did] = [await own().created(), await createDid(world)]
  for (const reply of [await own().register(id, did), await own().register(id, did, null)]) {
    t.is(reply.status, 201)
    t.deepEqual(reply.json(), { did })
  }
  const { dids, ...totals } = await own().dids(id)
  t.deepEqual(totals, { limit: 20, totalCount: 1, totalPages: 1 })
  t.is(dids[0]?.did, did)
  t.true(Math.abs(Date.parse(dids[0]?.registeredAt ?? '') - Date.now()) < 60_000)
  const entries = await loggedAbout(world, world.token, 'MESSAGING_INBOX_DID_REGISTER_SUCCESS', id)
  t.is(entries.length, 2)
  t.false(JSON.stringify(entries).includes(did))
})

for (const alg of ['EdDSA', 'ES256'] as const)
  test(`a DID of somebody else is registered with a jwt that it signed: ${alg} (specification, registerDID)`, async (t) => {
    const id = await own().created()
    const { did, jwt } = await stranger(alg)
    const missing = await own().register(id, did)
    t.is(missing.status, 400)
    t.like(problemOf(missing), { type: '/problems#inbox.jwt_required', errors: [{ path: 'jwt' }] })
    t.is((await own().register(id, did, await jwt(id, { aud: [id] }))).status, 201)
    t.deepEqual(await registeredIn(id), [did])
  })

test('a jwt that proves nothing is refused with its rule, and registers nothing', async (t) => {
  const [id, elsewhere] = [await own().created(), await own().created()]
  const [us, them] = [await stranger(), await stranger()]
  const now = Math.floor(Date.now() / 1000)
  const asText = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = new UnsecuredJWT({ iss: us.did, aud: id, exp: now + 60 }).encode()
  const good = await us.jwt(id)
  const [header = '', , signature = ''] = good.split('.')
  const cases: [rule: string, jwt: string][] = [
    ['signature', await us.jwt(id, {}, {}, them.privateKey)],
    ['signature', `${header}.${asText({ iss: us.did, aud: id, exp: now + 99 })}.${signature}`],
    ['signature', await us.jwt(id, {}, { kid: `${us.did}#other` })],
    ['kid', await them.jwt(id)],
    ['kid', await us.jwt(id, {}, { kid: us.did })],
    ['kid', await us.jwt(id, {}, { kid: undefined })],
    ['kid', await us.jwt(id, {}, { kid: '#key' })],
    ['iss', await us.jwt(id, { iss: them.did })],
    ['iss', await us.jwt(id, { iss: undefined })],
    ['aud', await us.jwt(elsewhere)],
    ['aud', await us.jwt(id, { aud: undefined })],
    ['aud', await us.jwt(id, { aud: [] })],
    ['aud', await us.jwt(id, { aud: [id, elsewhere] })],
    ['aud', await us.jwt(id, { aud: [id, id] })],
    ['aud', await us.jwt(id, { aud: id.toUpperCase() })],
    ['exp', await us.jwt(id, { exp: now - 3600 })],
    ['exp', await us.jwt(id, { exp: undefined })],
    ['exp', await us.jwt(id, { exp: now + 25 * 3600 })],
    ['exp', await us.jwt(id, { exp: 1e300 })],
    ['nbf', await us.jwt(id, { nbf: now + 3600 })],
    ['iat', await us.jwt(id, { iat: now + 3600 })],
    ['crit', `${asText({ alg: 'EdDSA', kid: us.kid, crit: ['exp'], exp: 1 })}.${good.split('.')[1]}.${signature}`],
    ['alg', `${asText({ alg: 'none', kid: us.kid })}.${good.split('.')[1]}.`],
    ['alg', `${asText({ alg: 'HS256', kid: us.kid })}.${good.split('.')[1]}.${signature}`],
    ['alg', unsigned],
    ['claims', await us.jws('no claims')],
    ['claims', await us.jws(`{"iss":"${them.did}","iss":"${us.did}"}`)],
    ['parts', 'x'],
    ['parts', 'a.b.c.d.e'],
    ['serialization', '{"payload":"x","signatures":[]}'],
    ['base64url', 'a.b.c'],
    ['detached', `${header}..${signature}`],
  ]
  for (const [rule, jwt] of cases) {
    const reply = await own().register(id, us.did, jwt)
    t.is(reply.status, 400, `${rule} ${reply.text}`)
    t.like(problemOf(reply), { type: '/problems#inbox.jwt_invalid', errors: [{ path: 'jwt', code: rule }] }, reply.text)
  }
  for (const jwt of ['', 1, {}, []]) t.is((await own().register(id, us.did, jwt)).status, 400)
  t.deepEqual(await registeredIn(id), [])
  t.is((await own().register(id, us.did, good)).status, 201)
})

test('a jwt registers once: it does not bring back a registration that has ended', async (t) => {
  const [id, { did, jwt }] = [await own().created(), await stranger()]
  const once = await jwt(id)
  t.is((await own().register(id, did, once)).status, 201)
  t.is((await own().register(id, did, once)).status, 201) // it stands already
  t.is((await own().unregister(id, did)).status, 204)
  const again = await own().register(id, did, once)
  t.is(again.status, 400)
  t.like(problemOf(again), { type: '/problems#inbox.jwt_used', errors: [{ path: 'jwt', code: 'used' }] })
  t.deepEqual(await registeredIn(id), [])
  t.is((await own().register(id, did, await jwt(id, { jti: randomUUID() }))).status, 201)
})

test('a jwt in another form of its signature is the same jwt', async (t) => {
  const [id, { did, jwt }] = [await own().created(), await stranger('ES256')]
  const once = await jwt(id)
  const [header, claims, signature = ''] = once.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  t.is((await own().register(id, did, once)).status, 201)
  t.is((await own().unregister(id, did)).status, 204)
  const reply = await own().register(id, did, `${header}.${claims}.${other.toString('base64url')}`)
  t.is(problemOf(reply).type, '/problems#inbox.jwt_used')
})

test('a jwt that proved a registration anew, which stood already, does not bring it back either', async (t) => {
  const [id, { did, jwt }] = [await own().created(), await stranger()]
  const [first, second] = [await jwt(id, { jti: '1' }), await jwt(id, { jti: '2' })]
  for (const each of [first, second]) t.is((await own().register(id, did, each)).status, 201)
  t.is((await own().unregister(id, did)).status, 204)
  for (const each of [first, second])
    t.is(problemOf(await own().register(id, did, each)).type, '/problems#inbox.jwt_used')
})

test('a used jwt is remembered for as long as it is taken: for the tolerance of clocks behind its exp', async (t) => {
  const [id, { did, jwt }, other] = [await own().created(), await stranger(), await stranger()]
  const once = await jwt(id, { exp: Math.floor(Date.now() / 1000) - 5 })
  t.is((await own().register(id, did, once)).status, 201)
  t.is((await own().unregister(id, did)).status, 204)
  t.is((await own().register(id, other.did, await other.jwt(id))).status, 201, 'which forgets what has expired')
  t.is(problemOf(await own().register(id, did, once)).type, '/problems#inbox.jwt_used')
})

test('used jwts are forgotten once they have expired', async (t) => {
  const { tenantId } = world.first
  const em = world.dependencies.database.tenants.em.fork()
  em.setFilterParams('tenant', { tenantId })
  em.setSessionContext({ variables: { 'app.tenant': tenantId } })
  const kept = () => em.transactional((tx) => tx.execute('select 1 from inbox_did_proofs where digest = ?', [digest]))
  const digest = Buffer.from(randomUUID())
  const old = [tenantId, digest, new Date(Date.now() - 24 * 3600_000)]
  await em.transactional((tx) => tx.execute('insert into inbox_did_proofs values (?, ?, ?)', old))
  t.is((await kept()).length, 1)
  const [id, { did, jwt }] = [await own().created(), await stranger()]
  t.is((await own().register(id, did, await jwt(id))).status, 201)
  t.is((await kept()).length, 0)
})

test('a DID is registered with one inbox of a tenant at a time, also by concurrent requests (D-385)', async (t) => {
  const did = await createDid(world)
  const ids = await Promise.all(Array.from({ length: 4 }, () => own().created()))
  const replies = await Promise.all([...ids, ...ids].map((id) => own().register(id, did)))
  const registered = (await Promise.all(ids.map(registeredIn))).filter((dids) => dids.includes(did))
  t.is(registered.length, 1)
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 201, ...Array(6).fill(409)])
  t.is(
    problemOf(replies.find(({ status }) => status === 409) ?? t.fail()).type,
    '/problems#inbox.did_registered_elsewhere',
  )
})

test('two tenants register one DID, each with its own jwt, and one cannot use that of the other', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const other = inboxesOf(world, token)
  const [id, otherId, { did, jwt }] = [await own().created(), await other.created(), await stranger()]
  const [ours, theirs, both] = [await jwt(id), await jwt(otherId), await jwt(id, { aud: [id, otherId] })]
  for (const reply of [await own().register(id, did, both), await other.register(otherId, did, both)])
    t.is(problemOf(reply).errors?.[0]?.code, 'aud', 'a jwt is for one inbox')
  t.is(problemOf(await other.register(otherId, did, ours)).errors?.[0]?.code, 'aud')
  t.is((await own().register(id, did, ours)).status, 201)
  t.is((await other.register(otherId, did, theirs)).status, 201)
  t.is((await deliveryOf(world).inboxesOf(did)).length, 2)
  // a DID of the one tenant is one of somebody else for the other
  const managed = await createDid(world)
  t.is(problemOf(await other.register(otherId, managed)).type, '/problems#inbox.jwt_required')
  t.is(problemOf(await other.register(id, managed)).type, '/problems#inbox.not_found')
})

test('the registration of a DID that is deleted ends with it, and its messages stay (D-387)', async (t) => {
  const [id, did] = [await own().created(), await createDid(world)]
  const { deliverToInboxes } = deliveryOf(world)
  const delivery = { recipient: did, messageId: 'one', payload: 'hello', requestId: randomUUID() }
  t.is((await own().register(id, did)).status, 201)
  t.is((await deliverToInboxes(delivery)).length, 1)
  t.is((await didsOf(world, world.token).remove(did)).status, 204)
  t.deepEqual(await registeredIn(id), [])
  t.is((await own().dids(id)).totalCount, 0)
  t.is((await own().unregister(id, did)).status, 404)
  t.deepEqual(await deliverToInboxes({ ...delivery, messageId: 'two' }), [])
  t.deepEqual(
    (await own().messages(id)).messages.map(({ payload }) => payload),
    ['hello'],
  )
  const refused = await own().register(id, did)
  t.is(problemOf(refused).type, '/problems#inbox.jwt_required')
})

test('a DID whose row still waits for its keys can be registered again by a jwt, with another inbox', async (t) => {
  const [id, other] = [await own().created(), await own().created()]
  const { did, jwt } = await stranger()
  const { tenantId } = world.first
  // as deleteDID leaves it while no worker is there
  const [didId, values] = [randomUUID(), 'gen_random_uuid()']
  await world.dependencies.systemSql.query({
    text: `insert into dids (id, tenant_id, did, method, registration_status, document, hosting, deleted_at)
      values ($1, $2, $3, 'KEY', 'COMPLETED', '{}', 'none', now())`,
    values: [didId, tenantId, did],
  })
  const em = world.dependencies.database.tenants.em.fork()
  em.setFilterParams('tenant', { tenantId })
  em.setSessionContext({ variables: { 'app.tenant': tenantId } })
  await em.transactional((tx) =>
    tx.execute(`insert into inbox_dids (id, tenant_id, inbox_id, did, did_id) values (${values}, ?, ?, ?, ?)`, [
      tenantId,
      id,
      did,
      didId,
    ]),
  )
  t.deepEqual(await registeredIn(id), [])
  t.is((await own().register(other, did, await jwt(other))).status, 201)
  t.deepEqual(await registeredIn(other), [did])
  await em.transactional((tx) => tx.execute('delete from dids where id = ?', [didId]))
  t.deepEqual(await registeredIn(other), [did])
})

test('what is no DID, does not resolve or is not ready is refused with its field', async (t) => {
  const id = await own().created()
  const waiting = await didsOf(world, world.token).createWeb('inbox.example.org')
  const notReady = await own().register(id, waiting.did)
  t.like(problemOf(notReady), { type: '/problems#inbox.did_not_ready', errors: [{ path: 'did' }] })
  for (const did of ['', 'x', 'did:key:z6Mk#key', 'did:web:a/b', `did:example:${'x'.repeat(2_100)}`]) {
    const reply = await own().register(id, did)
    t.is(reply.status, 400, did)
    t.like(problemOf(reply), { type: '/problems#did.invalid', errors: [{ path: 'did' }] }, did)
  }
  for (const did of [undefined, null, 1, {}]) t.is((await own().register(id, did)).status, 400)
  const { privateKey } = await stranger()
  const { jwt } = await stranger()
  for (const did of ['did:example:123', 'did:key:z6MkNoKey', 'did:web:nowhere.invalid']) {
    const text = await jwt(id, { iss: did }, { kid: `${did}#key` }, privateKey)
    const reply = await own().register(id, did, text)
    t.like(problemOf(reply), { type: '/problems#inbox.jwt_invalid', errors: [{ path: 'jwt', code: 'signature' }] })
  }
})

test('an inbox can have 1,000 DIDs', async (t) => {
  const [id, first, second] = [await own().created(), await createDid(world), await createDid(world)]
  const { tenantId } = world.first
  const em = world.dependencies.database.tenants.em.fork()
  em.setFilterParams('tenant', { tenantId })
  em.setSessionContext({ variables: { 'app.tenant': tenantId } })
  const filling = `insert into inbox_dids (id, tenant_id, inbox_id, did)
    select gen_random_uuid(), ?, ?, 'did:example:many-' || n from generate_series(1, 999) n`
  await em.transactional((tx) => tx.execute(filling, [tenantId, id]))
  t.is((await own().register(id, first)).status, 201)
  const refused = await own().register(id, second)
  t.is(refused.status, 409)
  t.is(problemOf(refused).type, '/problems#inbox.too_many_dids')
  t.is((await own().dids(id, '?limit=1000')).dids.length, 1000)
})

test('the registration of a DID ends once; one that is not there is 404', async (t) => {
  const [id, did] = [await own().created(), await createDid(world)]
  await own().register(id, did)
  const replies = await Promise.all([own().unregister(id, did), own().unregister(id, did)])
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 404])
  t.is(problemOf(await own().unregister(id, 'no DID')).type, '/problems#inbox.did_not_registered')
  t.is(problemOf(await own().unregister(randomUUID(), did)).type, '/problems#inbox.not_found')
  t.is((await loggedAbout(world, world.token, 'MESSAGING_INBOX_DID_UNREGISTER_SUCCESS', id)).length, 1)
})

test('a repeated Idempotency-Key registers once, with one jwt', async (t) => {
  const [id, { did, jwt }] = [await own().created(), await stranger()]
  const ask = {
    token: world.token,
    body: { did, jwt: await jwt(id) },
    headers: { 'idempotency-key': `register-${id}` },
  }
  const [first, second] = [await world.ask(`${INBOXES}/${id}/dids`, ask), await world.ask(`${INBOXES}/${id}/dids`, ask)]
  t.deepEqual([first.status, second.status], [201, 201])
  t.is(second.headers.get('idempotency-replayed'), 'true')
})
