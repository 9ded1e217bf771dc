import { randomUUID } from 'node:crypto'
import test from 'ava'
import { until } from '../../support/credentials/dids.ts'
import { type Database, ERASURES, erase, openDatabase, typeOf } from '../../support/privacy/erasures.ts'
import { type Issuing, newHolder, openIssuing } from '../../support/privacy/issuing.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
let issuing: Issuing
test.before(async () => {
  world = await openWorld({ workflows: true })
  database = await openDatabase(world)
  issuing = await openIssuing(world)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

test('a body names exactly one person, in its form, and of the tenant', async (t) => {
  const id = await issuing.about(newHolder())
  for (const [body, status, type] of [
    [{}, 400, 'request.invalid'],
    [[], 400, undefined],
    [{ credentialId: id, subjectDid: 'did:example:x' }, 400, 'request.invalid'],
    [{ subjectDid: null }, 400, 'request.invalid'],
    [{ subjectDid: '' }, 400, 'request.invalid'],
    [{ subjectDid: 'ada@university.example' }, 400, 'request.invalid'],
    [{ subjectDid: 'did:example:' }, 400, 'request.invalid'],
    [{ subjectDid: 'did:example:%' }, 400, 'request.invalid'],
    [{ subjectDid: ['did:example:x'] }, 400, 'request.invalid'],
    [{ subjectDid: `did:example:${'x'.repeat(3_000)}` }, 400, 'request.invalid'],
    [{ subjectDid: `did:example:${'x'.repeat(3_000_000)}` }, 413, undefined],
    [{ subjectDid: 'did:example:\u0000' }, 400, undefined],
    [{ subjectDid: 'did:example:\ud800' }, 400, undefined],
    [{ subjectDid: "did:example:x' or true --" }, 400, 'request.invalid'],
    [{ credentialId: 'x' }, 400, 'request.invalid'],
    [{ credentialId: id, credentialStatus: 'delete' }, 400, 'request.invalid'],
    [{ credentialId: id, tenantId: randomUUID() }, 400, 'request.invalid'],
    [{ credentialId: randomUUID() }, 404, 'credential.not_found'],
    [{ userId: randomUUID() }, 404, 'user.not_found'],
    [{ userId: id }, 404, 'user.not_found'],
  ] as const) {
    const reply = await erase(world, body)
    t.is(reply.status, status, `${JSON.stringify(body).slice(0, 100)} ${reply.text}`)
    if (type) t.is(typeOf(reply), type)
  }
  const raw = await world.ask(ERASURES, {
    token: world.token,
    raw: `{"__proto__":{"subjectDid":"did:example:x"}}`,
    headers: { 'content-type': 'application/json' },
  })
  t.is(raw.status, 400, raw.text)
  t.is((await issuing.read(id)).status, 200)
})

test('another tenant’s credential, erasure and DID are nothing to a caller', async (t) => {
  const holder = newHolder()
  const id = await issuing.about(holder)
  const stranger = await world.tokenOf(await world.addTenant())
  t.is(typeOf(await erase(world, { credentialId: id }, stranger)), 'credential.not_found')
  const theirs = await erase(world, { subjectDid: holder }, stranger)
  t.is(theirs.status, 202)
  const { id: erasureId } = theirs.json<{ id: string }>()
  await until(
    'the end',
    async () =>
      (await world.ask(`${ERASURES}/${erasureId}`, { token: stranger })).json<{ state: string }>().state === 'ERASED',
  )
  t.like((await world.ask(`${ERASURES}/${erasureId}`, { token: stranger })).json(), { erased: { credentials: 0 } })
  t.is((await issuing.read(id)).status, 200)
  const foreign = await world.ask(`${ERASURES}/${erasureId}`, { token: world.token })
  t.deepEqual([foreign.status, typeOf(foreign)], [404, 'erasure.not_found'])
  const narrow = await world.tokenOf(world.first, 'administration:read')
  t.is((await erase(world, { credentialId: id }, narrow)).status, 403)
})
