import test from 'ava'
import { readCwt } from '../../protocol/compact-credentials/cwt.ts'
import { fromText, PREFIXES } from '../../protocol/compact-credentials/text.ts'
import { keyTypeOf } from '../../protocol/cose/sign1.ts'
import {
  COMPACT,
  COMPACT_SEMANTIC,
  signCompact,
  signCompactSemantic,
  verifyCompact,
} from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256')
})
test.after.always(() => world?.close())

const errorsOf = (text: string) =>
  (JSON.parse(text) as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`)

for (const [keyType, alg] of [
  ['P-256', 'ES256'],
  ['ed25519', 'EdDSA'],
] as const)
  test(`a ${keyType} did:key signs claims, and they verify (specification, Compact credentials)`, async (t) => {
    const iss = await createDid(world, keyType)
    const claims = { iss, sub: 'did:example:ada', aud: 'https://school.example', type: 'Course', exp: 4_000_000_000 }
    const property_set = { name: 'Grüße, 你好', age: 36, score: 1.5, passed: true }
    const { id, encoded, decoded } = await signCompact(world, { ...claims, property_set })
    t.regex(id, /^[A-Za-z0-9_-]{22}$/)
    t.regex(encoded, /^CSC:\/1\/[A-Z2-7]+$/)
    const { iat, ...rest } = decoded
    t.deepEqual(rest, { ...claims, property_set, jti: id })
    t.true(Math.abs(Number(iat) - Date.now() / 1000) < 60)
    t.deepEqual(await verifyCompact(world, encoded), { verified: true, decoded })
    t.is(keyTypeOf(readCwt(fromText(PREFIXES.compact, encoded))), alg === 'ES256' ? 'p256' : 'ed25519')
  })

test('claims beside the others are the same as in property_set (D-281)', async (t) => {
  const { decoded } = await signCompact(world, { iss: issuer, course: 'CS-101', property_set: { grade: 'A' } })
  t.deepEqual(decoded.property_set, { course: 'CS-101', grade: 'A' })
})

test('claims that cannot be signed are refused, each with its place', async (t) => {
  const payload = {
    iss: issuer,
    exp: 1.5,
    nbf: -1,
    iat: '2027',
    jti: 'mine',
    status: {},
    type: '',
    list: [1],
    property_set: { 'a.b': null, constructor: 'x', vc: 'x', ['x'.repeat(129)]: 1 },
  }
  const reply = await world.ask(`${COMPACT}/sign`, { token: world.token, body: { payload, revocable: false } })
  t.is(refusal(reply, 400), 'credential.invalid')
  t.deepEqual(errorsOf(reply.text).sort(), [
    'payload.exp claim.time',
    'payload.iat claim.time',
    'payload.jti claim.reserved',
    'payload.list claim.value',
    'payload.nbf claim.time',
    'payload.property_set["a.b"] claim.value',
    'payload.property_set.constructor claim.name',
    'payload.property_set.vc claim.name',
    `payload.property_set.${'x'.repeat(129)} claim.name`,
    'payload.status claim.reserved',
    'payload.type claim.text',
  ].sort()) // biome-ignore format: one list
})

for (const [what, payload, expected] of [
  ['an end before the start', { exp: 1_000, nbf: 1_000 }, 'payload.exp claim.time_order'],
  ['a name twice', { a: 1, property_set: { a: 1 } }, 'payload.property_set claim.twice'],
  ['101 claims', { property_set: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`c${at}`, at])) }, 'payload.property_set claim.too_many'], // biome-ignore format: one line
  ['a list as property_set', { property_set: [1] }, 'payload.property_set claim.object'],
  ['a long text', { note: 'x'.repeat(2_049) }, 'payload.note claim.length'],
] as const)
  test(`${what} is refused: ${expected}`, async (t) => {
    const body = { payload: { iss: issuer, ...payload }, revocable: false }
    const reply = await world.ask(`${COMPACT}/sign`, { token: world.token, body })
    t.is(refusal(reply, 400), 'credential.invalid')
    t.deepEqual(errorsOf(reply.text), [expected])
  })

test('an issuer that is not of the tenant, and one without a fitting key, are refused by their field', async (t) => {
  const other = await world.addTenant()
  const foreign = await createDid(world, 'P-256', await world.tokenOf(other))
  const bls = await createDid(world, 'bls12381g2')
  for (const [iss, code] of [
    [foreign, 'credential.issuer_unknown'],
    ['did:example:nobody', 'credential.issuer_unknown'],
    [bls, 'credential.issuer_key_unfit'],
  ] as const) {
    const reply = await world.ask(`${COMPACT}/sign`, {
      token: world.token,
      body: { payload: { iss }, revocable: false },
    })
    t.is(refusal(reply, 400), code)
    t.deepEqual(errorsOf(reply.text), ['payload.iss issuer'])
  }
})

test('without iss the issuer that the tenant chose signs, and otherwise none (D-246)', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const body = { payload: { name: 'Ada' }, revocable: false }
  t.is(refusal(await world.ask(`${COMPACT}/sign`, { token, body }), 400), 'credential.issuer_unknown')
  const only = await createDid(world, 'P-256', token)
  t.is((await signCompact(world, body.payload, { token })).decoded.iss, only)
  const second = await createDid(world, 'P-256', token)
  t.is(refusal(await world.ask(`${COMPACT}/sign`, { token, body }), 409), 'credential.issuer_not_chosen')
  await world.ask('/v1/settings', {
    method: 'PUT',
    token,
    body: { fetchUnknownContexts: true, vcApi: false, defaultIssuer: second },
  })
  t.is((await signCompact(world, body.payload, { token })).decoded.iss, second)
})

test('credentials are listed and read by both forms of their id', async (t) => {
  const signed = await signCompact(world, { iss: issuer, type: 'Listed', name: 'Ada' }, { revocable: true })
  const list = await world.ask(`${COMPACT}?type=Listed`, { token: world.token })
  const { data, total_count } = list.json<{ data: Record<string, unknown>[]; total_count: number }>()
  t.is(total_count, 1)
  const { issuance_date, ...row } = data[0] ?? {}
  t.deepEqual(row, { ...signed, issuer, revocable: true, is_revoked: false })
  const uuid = Buffer.from(signed.id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  for (const id of [signed.id, uuid, uuid.toUpperCase()])
    t.deepEqual((await world.ask(`${COMPACT}/${id}`, { token: world.token })).json(), data[0])
  t.truthy(issuance_date)
  t.is(
    refusal(await world.ask(`${COMPACT}/AAAAAAAAAAAAAAAAAAAAAB`, { token: world.token }), 404),
    'credential.not_found',
  )
  t.is(refusal(await world.ask(`${COMPACT}/x`, { token: world.token }), 400), 'request.invalid')
})

test('a credential of one format is none of another: read, revoked, listed', async (t) => {
  const compact = await signCompact(world, { iss: issuer }, { revocable: true })
  const semantic = await signCompactSemantic(world, issuer, { revocable: true })
  const uuid = semantic.id.replace('urn:uuid:', '')
  const { token } = world
  t.is((await world.ask(`${COMPACT}/${uuid}`, { token })).status, 404)
  t.is((await world.ask(`/v1/credentials/web-semantic/${uuid}`, { token })).status, 404)
  const body = { is_revoked: true }
  for (const path of ['/v1/credentials/web-semantic', COMPACT])
    t.is((await world.ask(`${path}/${uuid}/revocation-status`, { token, body })).status, 404, path)
  t.true((await verifyCompact(world, semantic.encoded, {}, COMPACT_SEMANTIC)).verified)
  t.is((await verifyCompact(world, compact.encoded, {}, COMPACT_SEMANTIC)).error?.type, 'PayloadInvalid')
  t.is((await verifyCompact(world, semantic.encoded)).error?.type, 'PayloadInvalid')
})

test('a revoked credential does not verify at once, unless that is not asked; the log has it', async (t) => {
  const { id, encoded } = await signCompact(world, { iss: issuer }, { revocable: true })
  const path = `${COMPACT}/${id}/revocation-status`
  const { token } = world
  t.true((await verifyCompact(world, encoded)).verified)
  t.deepEqual((await world.ask(path, { token, body: { is_revoked: true } })).json(), {})
  t.deepEqual((await world.ask(path, { token })).json(), { isRevoked: true })
  t.is((await verifyCompact(world, encoded)).error?.type, 'Revoked')
  t.true((await verifyCompact(world, encoded, { check_revocation: false })).verified)
  t.is((await verifyCompact(world, encoded, { check_revocation: null })).error?.type, 'Revoked')
  t.deepEqual((await world.ask(path, { token, body: { isRevoked: false } })).json(), {})
  t.true((await verifyCompact(world, encoded)).verified)
  for (const body of [{}, { is_revoked: true, isRevoked: true }])
    t.is(refusal(await world.ask(path, { token, body }), 400), 'request.invalid')
  const fixed = await signCompact(world, { iss: issuer })
  const reply = await world.ask(`${COMPACT}/${fixed.id}/revocation-status`, { token, body: { is_revoked: true } })
  t.is(refusal(reply, 400), 'credential.not_revocable')
})

test('expiry, start and trusted issuers are checked as asked (specification, verifyCompactCredential)', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  const { encoded: expired } = await signCompact(world, { iss: issuer, exp: now - 3_600 })
  const { encoded: future } = await signCompact(world, { iss: issuer, nbf: now + 3_600 })
  const typeOf = async (text: string, more: object) => (await verifyCompact(world, text, more)).error?.type
  t.is(await typeOf(expired, {}), 'Expired')
  t.is(await typeOf(expired, { assert_expiry: false }), undefined)
  t.is(await typeOf(future, {}), 'NotActive')
  t.is(await typeOf(future, { assert_not_before: false }), undefined)
  t.is(await typeOf(expired, { assert_expiry: false, trusted_issuers: [] }), 'IssuerNotTrusted')
  t.is(await typeOf(expired, { assert_expiry: false, trusted_issuers: [issuer] }), undefined)
})

test('an Idempotency-Key makes one credential of two requests', async (t) => {
  const headers = { 'idempotency-key': 'compact-1' }
  const [first, second] = [
    await signCompact(world, { iss: issuer, name: 'once' }, { headers }),
    await signCompact(world, { iss: issuer, name: 'once' }, { headers }),
  ]
  t.deepEqual(first, second)
})

test('a W3C credential is signed as a CWT and verifies (compact-semantic)', async (t) => {
  const { id, encoded, decoded } = await signCompactSemantic(world, issuer, { revocable: true })
  t.regex(id, /^urn:uuid:[0-9a-f-]{36}$/)
  t.regex(encoded, /^CSS:\/1\/[A-Z2-7]+$/)
  t.like(decoded, {
    id,
    type: ['VerifiableCredential', 'CourseCredential'],
    issuer: { name: 'Example University', id: issuer },
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder', course: 'CS-101', grades: [1, 2.5], passed: true },
  })
  t.deepEqual(await verifyCompact(world, encoded, {}, COMPACT_SEMANTIC), { verified: true, decoded })
  const read = await world.ask(`${COMPACT_SEMANTIC}/${id}`, { token: world.token })
  t.like(read.json(), { id, encoded, decoded, issuer, revocable: true })
  const path = `${COMPACT_SEMANTIC}/${id}/revocation-status`
  t.deepEqual((await world.ask(path, { token: world.token, body: { is_revoked: true } })).json(), {})
  t.is((await verifyCompact(world, encoded, {}, COMPACT_SEMANTIC)).error?.type, 'Revoked')
})

test('a W3C credential that breaks its rules is refused, each with its place', async (t) => {
  const payload = {
    '@context': ['https://example.org/v1', 1],
    type: [1],
    issuer: { id: 7 },
    id: 'urn:x:y',
    proof: {},
    issuanceDate: 'yesterday',
    validUntil: '2099-01-01T00:00:00Z',
    credentialSubject: {},
  }
  const body = { payload, revocable: false }
  const reply = await world.ask(`${COMPACT_SEMANTIC}/sign`, { token: world.token, body })
  t.is(refusal(reply, 400), 'credential.invalid')
  t.deepEqual(errorsOf(reply.text).sort(), [
    'payload.@context.0 credential.base_context',
    'payload.@context.1 credential.context',
    'payload.credentialSubject credential.subject',
    'payload.id credential.reserved',
    'payload.issuanceDate credential.date_time',
    'payload.issuer.id credential.issuer',
    'payload.proof credential.reserved',
    'payload.type credential.type',
    'payload.validUntil credential.date_model',
  ])
})

test('signing and verifying stand in the log, with the verdict and without a claim', async (t) => {
  const { id, encoded } = await signCompact(world, { iss: issuer, name: 'Unsayable' })
  const uuid = Buffer.from(id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  await verifyCompact(world, encoded, { trusted_issuers: [] })
  const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: object }>({
    text: `select type, metadata from logs where metadata ->> 'id' = $1`,
    values: [uuid],
  })
  t.like(rows, [{ type: 'CREDENTIAL_COMPACT_SIGN_SUCCESS' }])
  t.false(JSON.stringify(rows).includes('Unsayable'))
})

test('what is no credential is a verdict, and what is no request is refused', async (t) => {
  for (const payload of ['', 'CSC:/1/', 'x', 'CSC:/1/AAAA', 'A'.repeat(500_000)])
    t.is((await verifyCompact(world, payload)).error?.type, 'PayloadInvalid', payload.slice(0, 20))
  for (const body of [{}, { payload: 1 }, { payload: null }, { payload: 'x', trusted_issuers: 'x' }, { payload: 'x', assert_expiry: 'no' }]) // biome-ignore format: one line
    t.is(refusal(await world.ask(`${COMPACT}/verify`, { token: world.token, body }), 400), 'request.invalid')
})
