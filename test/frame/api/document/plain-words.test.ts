import test from 'ava'
import { BATCHES, COURSE, create, lines } from '../../../support/credentials/batches.ts'
import { createDid, payload } from '../../../support/credentials/credentials.ts'
import { course, refusal, TEMPLATES } from '../../../support/credentials/templates.ts'
import { openWorld, type Reply, type World } from '../../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const SIGN = '/v1/credentials/web-semantic/sign'
const ask = (path: string, body?: unknown, method = 'POST') => world.ask(path, { token: world.token, method, body })
const faults = (reply: Reply) => reply.json<{ errors: { path: string; code: string; message: string }[] }>().errors

const newBatch = async () =>
  (await create(world, lines(2), { issuer: did, proofType: 'eddsa-rdfc-2022', context: COURSE })).id

test('an unknown member is refused with the nearest one and the members that there are', async (t) => {
  const request = { payload: payload(did), proofType: 'eddsa-rdfc-2022' }
  const reply = await ask(SIGN, { ...request, revocabel: false })
  t.is(refusal(reply, 400), 'request.invalid')
  const errors = faults(reply)
  t.deepEqual(errors.map(({ path, code }) => [path, code]).toSorted(), [
    ['revocabel', 'schema'],
    ['revocable', 'schema'],
  ])
  const [unknown, missing] = errors.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  t.regex(unknown?.message ?? '', /did you mean revocable\?.*payload.*proofType/)
  t.regex(missing?.message ?? '', /is required.*revocabel/)

  const [far] = faults(await ask(SIGN, { ...request, revocable: false, 'quite.other': 1 }))
  t.like(far, { path: '["quite.other"]', code: 'schema' })
  t.notRegex(far?.message ?? '', /did you mean/)
  const [sent] = faults(await ask(SIGN, { ...request, revocable: false, Revocable: false }))
  t.notRegex(sent?.message ?? '', /did you mean/, 'the request has that member too')
})

test('unknown members inside of objects and of the query have their nearest ones too', async (t) => {
  const reply = await ask(TEMPLATES, course({ expires_in: { mounths: 1 } }))
  t.is(refusal(reply, 400), 'request.invalid')
  const [inner] = faults(reply)
  t.is(inner?.path, 'expires_in.mounths')
  t.regex(inner?.message ?? '', /did you mean months\?/)
  const [query] = faults(await ask(`${BATCHES}?statuss=PAUSED`, undefined, 'GET'))
  t.is(query?.path, 'statuss')
  t.regex(query?.message ?? '', /did you mean status\?/)
})

test('an operation without a body refuses one that says something', async (t) => {
  const id = await newBatch()
  for (const [path, method] of [
    [`${BATCHES}/${id}/pause`, 'POST'],
    [`${BATCHES}/${id}/resume`, 'POST'],
    [`${BATCHES}/${id}/cancel`, 'POST'],
    [`/v1/dids/${encodeURIComponent(did)}`, 'DELETE'],
  ] as const)
    for (const body of [{ nonsense: 1 }, [], 'x', false, null]) {
      const reply = await ask(path, body, method)
      t.is(refusal(reply, 400), 'request.invalid', `${path} ${JSON.stringify(body)}`)
      t.is(faults(reply)[0]?.code, 'schema')
    }
  t.is((await ask(`${BATCHES}/${id}`, undefined, 'GET')).json<{ status: string }>().status, 'PROCESSING')
  for (const [verb, body] of [
    ['pause', {}],
    ['resume', undefined],
    ['cancel', {}],
  ] as const) {
    const reply = await ask(`${BATCHES}/${id}/${verb}`, body)
    t.is(reply.status, 200, reply.text)
  }
})

test('a batch is revoked by no body, {} or is_revoked true, and by nothing else', async (t) => {
  const id = await newBatch()
  await ask(`${BATCHES}/${id}/cancel`)
  const revoke = (body?: unknown) => ask(`${BATCHES}/${id}/revocation`, body)
  for (const [body, path, code] of [
    [{ is_revoked: false }, 'is_revoked', 'range'],
    [{ is_revoked: 'true' }, 'is_revoked', 'schema'],
    [{ is_revoked: null }, 'is_revoked', 'schema'],
    [{ nonsense: 1 }, 'nonsense', 'schema'],
    [[], '', 'schema'],
    [null, '', 'schema'],
    ['x', '', 'schema'],
    [false, '', 'schema'],
  ] as const) {
    const reply = await revoke(body)
    t.is(refusal(reply, 400), 'request.invalid', JSON.stringify(body))
    t.like(faults(reply)[0], { path, code }, JSON.stringify(body))
  }
  t.false('revocation' in (await ask(`${BATCHES}/${id}`, undefined, 'GET')).json<object>())
  for (const body of [undefined, {}, { is_revoked: true }]) t.is((await revoke(body)).status, 202)
})

test('a body that is not JSON is answered with line and column, and without its content', async (t) => {
  const send = (raw: string) =>
    world.ask(SIGN, { token: world.token, raw, headers: { 'content-type': 'application/json' } })
  for (const [raw, place] of [
    ['{\n  "payload": {secret}\n}', 'line 2, column 15'],
    ['{"a": 1,}', 'line 1, column 9'],
    ["{'secret': 1}", 'line 1, column 2'],
    ['{"a": 1} // secret', 'line 1, column 10'],
    ['{"a": "secret', 'line 1, column 7'],
    ['secret', 'line 1, column 1'],
  ] as const) {
    const reply = await send(raw)
    t.is(refusal(reply, 400), 'request.malformed_json', raw)
    t.true(reply.text.includes(place), `${raw}: ${reply.text}`)
    t.false(reply.text.includes('secret'))
  }
})

test('a required member of a payload that is missing is required, and not malformed', async (t) => {
  const { issuer: _, ...rest } = payload(did)
  const reply = await world.ask(SIGN, {
    token: world.token,
    body: {
      payload: { ...rest, issuer: {}, credentialSubject: undefined, evidence: [{}], credentialSchema: [{ type: 'X' }] },
      proofType: 'eddsa-rdfc-2022',
      revocable: false,
    },
  })
  t.is(refusal(reply, 400), 'credential.invalid')
  const missing = new Map(faults(reply).map(({ path, message }) => [path, message]))
  for (const path of [
    'payload.issuer.id',
    'payload.credentialSubject',
    'payload.evidence[0].type',
    'payload.credentialSchema[0].id',
  ])
    t.regex(missing.get(path.replace(/\[(\d)\]/, '.$1')) ?? '', /^is required/, reply.text)
})

test('settings that a change leaves out keep their values', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const put = (body: object) => world.ask('/v1/settings', { token, method: 'PUT', body })
  const before = (await put({ fetchUnknownContexts: false, vcApi: true, requireDomain: true })).json<object>()
  t.like(before, { fetchUnknownContexts: false, vcApi: true, requireDomain: true })
  t.deepEqual((await put({})).json(), before)
  for (const change of [{ fetchUnknownContexts: true }, { vcApi: false }, { requireChallenge: true }]) {
    const earlier = (await world.ask('/v1/settings', { token })).json<object>()
    const reply = await put(change)
    t.is(reply.status, 200, reply.text)
    t.deepEqual(reply.json(), { ...earlier, ...change })
  }
  t.is(refusal(await put({ vcApi: null }), 400), 'request.invalid')
})
