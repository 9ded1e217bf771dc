import { randomUUID } from 'node:crypto'
import test from 'ava'
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { createDid } from '../support/credentials/credentials.ts'
import { didsOf } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { INBOXES, inboxesOf, stranger } from '../support/messaging.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

interface Signed {
  did: string
  didUrl: string
  payload: unknown
  signerPublicJwk: JWK
  verified: boolean
  jws: string
}

type Verdict = Omit<Signed, 'jws' | 'signerPublicJwk'> & { signerPublicJwk?: JWK; error?: { type: string } }

const ask = (verb: 'sign' | 'verify', body: unknown, token = world.token) =>
  world.ask(`/v1/messaging/${verb}`, { token, body })
const problemOf = (reply: Reply) =>
  reply.json<{ type: string; errors: { path: string; code: string; message: string }[] }>()
const keyOf = (did: string) => `${did}#${did.slice('did:key:'.length)}`

async function sign(didUrl: string, payload: unknown): Promise<Signed> {
  const reply = await ask('sign', { didUrl, payload })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<Signed>()
}

async function verify(jws: string, token = world.token): Promise<Verdict> {
  const reply = await ask('verify', { jws }, token)
  if (reply.status !== 200) throw new Error(`no verdict: ${reply.text}`)
  return reply.json<Verdict>()
}

for (const [keyType, alg, crv] of [
  ['ed25519', 'EdDSA', 'Ed25519'],
  ['p256', 'ES256', 'P-256'],
])
  test(`signCredential: a JWS with ${alg} and the DID URL as kid, which jose verifies (specification, signCredential)`, async (t) => {
    const did = await createDid(world, keyType)
    const didUrl = keyOf(did)
    for (const payload of [
      { course: 'CS-101', list: [1, { deep: null }] },
      'a text, with "quotes" and 👋',
      42,
      null,
      '',
    ]) {
      const signed = await sign(didUrl, payload)
      t.deepEqual(Object.keys(signed).toSorted(), ['did', 'didUrl', 'jws', 'payload', 'signerPublicJwk', 'verified'])
      t.like(signed, { did, didUrl, verified: true, signerPublicJwk: { crv } })
      t.deepEqual(signed.payload, payload)
      t.false('d' in signed.signerPublicJwk)
      t.like(decodeProtectedHeader(signed.jws), { alg, kid: didUrl, typ: 'JOSE' })
      const { payload: bytes } = await compactVerify(signed.jws, await importJWK(signed.signerPublicJwk, alg))
      t.is(Buffer.from(bytes).toString(), typeof payload === 'string' && payload ? payload : JSON.stringify(payload))
      const { jws, ...rest } = signed
      t.deepEqual(await verify(jws), rest)
    }
  })

test('a DID URL that cannot sign is refused with its field and what would fit', async (t) => {
  const [did, bls] = [await createDid(world), await createDid(world, 'bls12381g2')]
  const token = await world.tokenOf(await world.addTenant())
  const foreign = await createDid(world, 'ed25519', token)
  const { did: unmanaged } = await stranger()
  const cases: [didUrl: string, code: string][] = [
    ['', 'did.invalid'],
    ['key', 'did.invalid'],
    [`${did}?x=1#key`, 'did.invalid'],
    [keyOf(foreign), 'jws.signer_unknown'],
    [keyOf(unmanaged), 'jws.signer_unknown'],
    [did, 'jws.signer_key_unknown'],
    [`${did}#other`, 'jws.signer_key_unknown'],
    [`${keyOf(did)}x`, 'jws.signer_key_unknown'],
    [keyOf(bls), 'jws.signer_key_unfit'],
  ]
  for (const [didUrl, code] of cases) {
    const reply = await ask('sign', { didUrl, payload: 'x' })
    t.is(reply.status, 400, reply.text)
    t.like(problemOf(reply), { type: `/problems#${code}`, errors: [{ path: 'didUrl' }] }, didUrl)
  }
  t.is(problemOf(await ask('sign', { didUrl: did, payload: 'x' })).errors[0]?.message, `expected one of ${keyOf(did)}`)
  const agreement = await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token: world.token })
  const { keyAgreement = [] } = agreement.json<{ didDocument: { keyAgreement?: { id: string }[] } }>().didDocument
  const derived = await ask('sign', { didUrl: keyAgreement[0]?.id, payload: 'x' })
  t.is(problemOf(derived).type, '/problems#jws.signer_key_unknown')
  for (const body of [
    {},
    { didUrl: keyOf(did) },
    { payload: 'x' },
    { didUrl: 1, payload: 'x' },
    { didUrl: keyOf(did), payload: 'x', more: 1 },
  ])
    t.is((await ask('sign', body)).status, 400, JSON.stringify(body))
  t.is((await didsOf(world, world.token).remove(did)).status, 204)
  t.is(problemOf(await ask('sign', { didUrl: keyOf(did), payload: 'x' })).type, '/problems#jws.signer_unknown')
})

test('what is no JWS of a DID is 400 with the rule; a wrong signature is a verdict (specification, verifyCredential)', async (t) => {
  const { jws } = await sign(keyOf(await createDid(world)), { course: 'CS-101' })
  const [header = '', payload, signature] = jws.split('.')
  for (const [rule, text] of [
    ['parts', 'x'],
    ['detached', `${header}..${signature}`],
    ['alg', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`],
  ]) {
    const reply = await ask('verify', { jws: text })
    t.is(reply.status, 400)
    t.like(problemOf(reply), { type: '/problems#jws.invalid', errors: [{ path: 'jws', code: rule }] })
  }
  for (const body of [{}, { jws: null }, { jws: { header } }, { jws, more: 1 }])
    t.is((await ask('verify', body)).status, 400)
  const other = Buffer.from('{"course":"CS-102"}').toString('base64url')
  t.like(await verify(`${header}.${other}.${signature}`), {
    verified: false,
    payload: { course: 'CS-102' },
    error: { type: 'SignatureInvalid' },
  })
})

test('a JWS names whose it is: verified is true for that DID alone, whatever the payload says (pitfall of kid)', async (t) => {
  const [victim, attacker] = [await stranger(), await stranger()]
  const payload = JSON.stringify({ iss: victim.did, admin: true })
  t.like(await verify(await attacker.jws(payload)), { verified: true, did: attacker.did, didUrl: attacker.kid })
  const claimed = await verify(await attacker.jws(payload, { kid: victim.kid }))
  t.like(claimed, { verified: false, did: victim.did, error: { type: 'SignatureInvalid' } })
  const brought = { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }, jku: 'https://elsewhere.test/keys' }
  t.false((await verify(await attacker.jws(payload, { kid: victim.kid, ...brought }))).verified)
})

test('a did:web of the platform signs with each of its keys that can, and every tenant verifies', async (t) => {
  const dids = didsOf(world, world.token)
  const { did } = await dids.createWeb(`${names.origin}/${randomUUID()}`)
  const notYet = await ask('sign', { didUrl: `${did}#key`, payload: 'x' })
  t.true(['/problems#jws.signer_not_ready', '/problems#jws.signer_key_unknown'].includes(problemOf(notYet).type))
  const { didDocument } = await dids.reaches(did, 'COMPLETED')
  const token = await world.tokenOf(await world.addTenant())
  const outcomes: [type: string, outcome: string][] = []
  let didUrl = ''
  for (const { id, type } of didDocument.verificationMethod ?? []) {
    const reply = await ask('sign', { didUrl: id, payload: { type } })
    outcomes.push([type, reply.status === 200 ? 'signed' : problemOf(reply).type])
    if (reply.status !== 200) continue
    t.like(await verify(reply.json<Signed>().jws, token), { did, didUrl: id, payload: { type }, verified: true })
    didUrl = id
  }
  const unfit = '/problems#jws.signer_key_unfit'
  t.deepEqual(outcomes.map((each) => each.join(' ')).toSorted(), [
    'Ed25519VerificationKey2018 signed',
    `JsonWebKey2020 ${unfit}`, // that of P-384
    'JsonWebKey2020 signed',
    `Multikey ${unfit}`, // that of BBS
    `Multikey ${unfit}`, // that of P-384
    'Multikey signed',
    'Multikey signed',
    `X25519KeyAgreementKey2020 ${unfit}`,
  ])
  // the tenant's own did:web is registered without a jwt; another tenant proves it by what it signs
  const inboxes = inboxesOf(world, token)
  const id = await inboxes.created()
  const exp = Math.floor(Date.now() / 1000) + 60
  const { jws } = await sign(didUrl, { iss: did, aud: id, exp })
  t.is((await inboxes.register(id, did, jws)).status, 201)
  t.is((await world.ask(`${INBOXES}/${id}/dids`, { token: world.token, body: { did } })).status, 404)
})

test('a did:web of another host is resolved under the outbound rules, and its document decides', async (t) => {
  const us = await stranger()
  const { x } = await jwkOf(us.jws)
  const path = randomUUID()
  const did = `did:web:elsewhere.test%3A${names.port}:${path}`
  const kid = `${did}#key-1`
  const method = { id: kid, type: 'JsonWebKey', controller: did, publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x } }
  const serve = (name: string, more: object) => {
    const id = `did:web:elsewhere.test%3A${names.port}:${name}`
    const text = JSON.stringify({ id: did, verificationMethod: [method], ...more }).replaceAll(did, id)
    names.elsewhere.set(`/${name}/did.json`, text)
    return `${id}#key-1`
  }
  serve(path, { authentication: [kid] })
  t.like(await verify(await us.jws('hello', { kid })), { verified: true, did, didUrl: kid, payload: 'hello' })
  const agreement = serve(`${path}-agreement`, { keyAgreement: [kid] })
  t.is((await verify(await us.jws('hello', { kid: agreement }))).error?.type, 'KeyNotAuthorized')
  for (const nowhere of [
    `did:web:elsewhere.test%3A${names.port}:missing#key-1`,
    'did:web:10.0.0.1#key-1',
    'did:web:localhost%3A5432#key-1',
    'did:example:123#key-1',
    'did:key:z6MkNoKey#key-1',
  ])
    t.like(await verify(await us.jws('hello', { kid: nowhere })), {
      verified: false,
      didUrl: nowhere,
      payload: 'hello',
      error: { type: 'DidUnresolvable' },
    })
})

/** The public key of a stranger, from a verdict about what it signed. */
const jwkOf = async (jws: (payload: string) => Promise<string>): Promise<JWK> =>
  (await verify(await jws('hello'))).signerPublicJwk ?? {}

test('the log says which DID has signed and what the verdict was, and has neither payload nor JWS', async (t) => {
  const canary = `canary-${randomUUID()}`
  const did = await createDid(world)
  const { jws } = await sign(keyOf(did), { canary })
  await verify(jws)
  await ask('verify', { jws: canary })
  await ask('sign', { didUrl: canary, payload: canary })
  const body = {
    categories: ['messaging'],
    types: ['MESSAGING_SIGN_SUCCESS', 'MESSAGING_SIGN_FAIL', 'MESSAGING_VERIFY_SUCCESS', 'MESSAGING_VERIFY_FAIL'],
    ids: [],
    requestIds: [],
    dateFrom: new Date(Date.now() - 3600_000).toISOString(),
    dateTo: new Date(Date.now() + 3600_000).toISOString(),
  }
  const log = await world.ask('/v1/analytics/events?limit=1000', { token: world.token, body })
  const types = log.json<{ data: { type: string }[] }>().data.map(({ type }) => type)
  for (const type of body.types) t.true(types.includes(type), type)
  t.false(log.text.includes(canary) || log.text.includes(jws))
  // of an own DID the log says which one it was, by the id of its row
  const { id } = (await didsOf(world, world.token).resolve(did)).json<{ id: string }>()
  const about = { ...body, objectIds: [id] }
  const found = await world.ask('/v1/analytics/events', { token: world.token, body: about })
  t.deepEqual(
    found.json<{ data: { type: string }[] }>().data.map(({ type }) => type),
    ['MESSAGING_SIGN_SUCCESS'],
  )
  const verdicts = log.json<{ data: { type: string; metadata: string }[] }>().data
  const verified = verdicts.flatMap(({ type, metadata }) =>
    type === 'MESSAGING_VERIFY_SUCCESS' ? [JSON.parse(metadata) as { verified: boolean; reason: string | null }] : [],
  )
  t.true(verified.some((each) => each.verified && each.reason === null))
})
