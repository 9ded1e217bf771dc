import test from 'ava'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { createWalletEncryption } from '../../../activities/openid/sessions/encryption.ts'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { addTenant } from '../../support/frame/tenants.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import {
  createAnswerKey,
  encryptFor,
  encryptingFetch,
  isJwt,
  type RequestEncryption,
  requestEncryptionOf,
} from '../../support/openid/haip/encryption.ts'
import { CLAIMS, createMobileTemplate, createWalletKey, openWallet, sessionsOf } from '../../support/openid/wallet.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let template: string
let compact: string
let encryption: RequestEncryption
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'ed25519', world.token, true)
  template = await createMobileTemplate(world)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  compact = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  encryption = await requestEncryptionOf(world)
})
test.after.always(() => world?.close())

const CREDENTIAL = '/v1/openid/credential'
const DEFERRED = '/v1/openid/deferred-credential'

async function setPolicy(body: object): Promise<void> {
  const reply = await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body })
  if (reply.status !== 200) throw new Error(`no policy: ${reply.text}`)
}

/** A token for a credential without a key. */
async function tokenFor(): Promise<string> {
  return (await sessionWithToken()).token
}

async function sessionWithToken() {
  const { id, uri } = await sessionsOf(world).offer({ credentials: [compact], claims: { given_name: 'Ada' } })
  return { id, token: (await openWallet([]).authorize(uri)).accessToken }
}

const want = (more: object = {}) => ({ credential_configuration_id: compact, ...more })

const post = (path: string, token: string, jwe: string) =>
  world.ask(path, { token, raw: jwe, headers: { 'content-type': 'application/jwt' } })

test('a foreign wallet sends an encrypted request with keys of a batch, and gets encrypted credentials (OpenID4VCI 1.0, section 10)', async (t) => {
  const seen: string[] = []
  const key = await createAnswerKey()
  const keys = [await createWalletKey(), await createWalletKey()]
  const wallet = openWallet(keys, { fetch: encryptingFetch(() => requestEncryptionOf(world), key, seen) })
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: CLAIMS })
  const { credentials } = await wallet.collect(uri)
  t.is(credentials.length, 2)
  t.is(seen.length, 1)
  const { header } = await key.open(seen[0] ?? '')
  t.like(header, { alg: 'ECDH-ES', enc: 'A128GCM', kid: 'of-the-wallet' })
})

for (const [enc, zip] of [
  ['A128GCM', undefined],
  ['A256GCM', 'DEF'],
] as const)
  test(`${enc}${zip ? ' and DEF' : ''}: the answer is as the request says`, async (t) => {
    const key = await createAnswerKey('P-384')
    const content = want({ credential_response_encryption: { jwk: key.jwk, enc, ...(zip && { zip }) } })
    const jwe = await encryptFor(encryption, content, { enc, ...(zip && { zip }) })
    const reply = await post(CREDENTIAL, await tokenFor(), jwe)
    t.deepEqual([reply.status, isJwt(reply)], [200, true], reply.text)
    const { header, content: given } = await key.open(reply.text)
    t.deepEqual([header.enc, header.zip], [enc, zip])
    t.is(given.credentials.length, 1)
  })

test('the type of an encrypted request may name its encoding, which is UTF-8', async (t) => {
  for (const [charset, status] of [
    ['; charset=utf-8', 200],
    ['; charset="UTF-8"', 200],
    ['; charset=iso-8859-1', 415],
    ['; other=1', 415],
  ] as const) {
    const headers = { 'content-type': `application/jwt${charset}` }
    const raw = await encryptFor(encryption, want())
    t.is((await world.ask(CREDENTIAL, { token: await tokenFor(), raw, headers })).status, status, charset)
  }
})

test('an encrypted request that wants no encrypted answer gets JSON', async (t) => {
  const reply = await post(CREDENTIAL, await tokenFor(), await encryptFor(encryption, want()))
  t.deepEqual([reply.status, reply.json<{ credentials: object[] }>().credentials.length], [200, 1])
})

test.serial('what is deferred is encrypted as well, for the key of each request (sections 9.1 and 9.2)', async (t) => {
  const [first, second] = [await createAnswerKey(), await createAnswerKey()]
  const { id, uri } = await sessionsOf(world).offer({ credentials: [compact], claims: { given_name: 'Ada' } })
  const { accessToken } = await openWallet([]).authorize(uri)
  await world.stopWorker()
  const asked = want({ credential_response_encryption: { jwk: first.jwk, enc: 'A256GCM' } })
  const pending = await post(CREDENTIAL, accessToken, await encryptFor(encryption, asked))
  t.deepEqual([pending.status, isJwt(pending)], [202, true])
  const { transaction_id } = (await first.open(pending.text)).content
  await world.startWorker()
  await until('the credential', async () => (await sessionsOf(world).read(id)).state === 'ISSUED')
  const again = { transaction_id, credential_response_encryption: { jwk: second.jwk, enc: 'A128GCM' } }
  const reply = await post(DEFERRED, accessToken, await encryptFor(encryption, again))
  t.deepEqual([reply.status, isJwt(reply)], [200, true])
  t.is((await second.open(reply.text)).content.credentials.length, 1)
})

test.serial(
  'requiresEncryption: whoever sends or wants it in clear is refused, and the metadata says so',
  async (t) => {
    await setPolicy({ requiresEncryption: true })
    try {
      t.true((await requestEncryptionOf(world)).encryption_required)
      const token = await tokenFor()
      t.is(errorOf(await world.ask(CREDENTIAL, { token, body: want() })), '400 invalid_encryption_parameters')
      const half = await post(CREDENTIAL, token, await encryptFor(encryption, want()))
      t.is(errorOf(half), '400 invalid_encryption_parameters')
      const deferred = await world.ask(DEFERRED, { token, body: { transaction_id: 'x' } })
      t.is(errorOf(deferred), '400 invalid_encryption_parameters')
      const key = await createAnswerKey()
      const whole = want({ credential_response_encryption: { jwk: key.jwk, enc: 'A256GCM' } })
      t.is((await post(CREDENTIAL, token, await encryptFor(encryption, whole))).status, 200)
    } finally {
      await setPolicy({ requiresEncryption: false })
    }
  },
)

/** What a wallet must not say of its key, and the place that is named. */
const PARAMETERS: [what: string, change: (jwk: JWK) => Promise<unknown> | unknown, place: string][] = [
  ['no object', () => 'A256GCM', ''],
  ['no enc', (jwk) => ({ jwk }), 'enc'],
  ['an enc without authentication of ours', (jwk) => ({ jwk, enc: 'A128CBC-HS256' }), 'enc'],
  ['an unknown zip', (jwk) => ({ jwk, enc: 'A256GCM', zip: 'GZ' }), 'zip'],
  ['no key', () => ({ enc: 'A256GCM' }), 'jwk'],
  ['a key without alg', ({ alg: _alg, ...jwk }) => ({ jwk, enc: 'A256GCM' }), 'jwk.alg'],
  ['a key for another alg', (jwk) => ({ jwk: { ...jwk, alg: 'RSA-OAEP-256' }, enc: 'A256GCM' }), 'jwk.alg'],
  ['another alg beside the key', (jwk) => ({ jwk, alg: 'ECDH-ES+A128KW', enc: 'A256GCM' }), 'alg'],
  ['a key for signatures', (jwk) => ({ jwk: { ...jwk, use: 'sig' }, enc: 'A256GCM' }), 'jwk.use'],
  ['a private key', (jwk) => ({ jwk: { ...jwk, d: jwk.x }, enc: 'A256GCM' }), 'jwk'],
  ['no point of the curve', (jwk) => ({ jwk: { ...jwk, y: jwk.x }, enc: 'A256GCM' }), 'jwk'],
  ['a symmetric key', () => ({ jwk: { kty: 'oct', k: 'AAAA', alg: 'ECDH-ES' }, enc: 'A256GCM' }), 'jwk'],
  [
    'a weak RSA key',
    async () => ({
      jwk: { ...(await exportJWK((await generateKeyPair('RSA-OAEP', { modulusLength: 2048 })).publicKey)) },
      enc: 'A256GCM',
    }),
    'jwk',
  ],
  ['a kid without end', (jwk) => ({ jwk: { ...jwk, kid: 'k'.repeat(201) }, enc: 'A256GCM' }), 'jwk.kid'],
]

for (const [what, change, place] of PARAMETERS)
  test(`credential_response_encryption with ${what} is refused before anything is issued (section 8.3.1.2)`, async (t) => {
    const { jwk } = await createAnswerKey()
    const { id, token } = await sessionWithToken()
    const content = want({ credential_response_encryption: await change(jwk) })
    const reply = await post(CREDENTIAL, token, await encryptFor(encryption, content))
    t.is(errorOf(reply), '400 invalid_encryption_parameters')
    const at = place === '' ? 'credential_response_encryption' : `credential_response_encryption.${place}`
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, at)
    t.false(reply.text.includes(jwk.x ?? ''))
    t.is((await sessionsOf(world).read(id)).issuances[0]?.state, 'OFFERED')
  })

test('a key for the answer in a request in clear is refused: whoever is between could put another one there (section 8.2)', async (t) => {
  const { jwk } = await createAnswerKey()
  const body = want({ credential_response_encryption: { jwk, enc: 'A256GCM' } })
  t.is(errorOf(await world.ask(CREDENTIAL, { token: await tokenFor(), body })), '400 invalid_encryption_parameters')
})

/** Requests that are not for a key of the tenant, or not by an algorithm of the metadata, or too much. */
const REQUESTS: [what: string, make: () => Promise<string>][] = [
  ['no JWE', async () => 'eyJ.eyJ.eyJ'],
  ['nothing', async () => '.'],
  ['a JWS', async () => (await createWalletKey()).sign({ typ: 'JWT', kid: encryption.jwks.keys[0]?.kid }, want())],
  ['an unknown kid', () => encryptFor(encryption, want(), { kid: 'unknown' })],
  ['no kid', () => encryptFor(encryption, want(), { kid: '' })],
  ['a key to wrap', () => encryptFor(encryption, want(), { alg: 'ECDH-ES+A128KW' })],
  ['another content encryption', () => encryptFor(encryption, want(), { enc: 'A192GCM' })],
  [
    'a key of somebody else under our kid',
    async () => {
      const { jwk } = await createAnswerKey()
      return encryptFor(encryption, want(), { jwk: { ...jwk, kid: encryption.jwks.keys[0]?.kid ?? '' } })
    },
  ],
  [
    'a changed tag',
    async () => {
      const jwe = await encryptFor(encryption, want())
      const at = jwe.lastIndexOf('.') + 1
      return `${jwe.slice(0, at)}${jwe[at] === 'A' ? 'B' : 'A'}${jwe.slice(at + 1)}`
    },
  ],
  ['16 MiB that are packed', () => encryptFor(encryption, want({ x: ' '.repeat(16 << 20) }), { zip: 'DEF' })],
  ['half a MiB', () => encryptFor(encryption, want({ x: ' '.repeat(512 << 10) }))],
  ['a list', () => encryptFor(encryption, [want()])],
]

for (const [what, make] of REQUESTS)
  test(`an encrypted request with ${what} is refused, with no word on why (abuse 25 and 42)`, async (t) => {
    const reply = await post(CREDENTIAL, await tokenFor(), await make())
    t.is(errorOf(reply), '400 invalid_encryption_parameters')
    const sentence = (await post(CREDENTIAL, await tokenFor(), 'x')).json<{ detail: string }>().detail
    t.is(reply.json<{ detail: string }>().detail, sentence)
  })

test('what is inside is read as strictly as a body in clear: depth, names, and texts that cannot be kept (abuse 1 to 4)', async (t) => {
  const token = await tokenFor()
  for (const text of [
    `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    '{"a":"\\u0000"}',
  ]) {
    const reply = await post(CREDENTIAL, token, await encryptFor(encryption, text))
    t.is(reply.status, 400, reply.text)
  }
  t.is(errorOf(await post(CREDENTIAL, token, await encryptFor(encryption, {}))), '400 invalid_credential_request')
})

test('a JWT is a body of these operations alone; without a token it is not opened', async (t) => {
  const jwe = await encryptFor(encryption, want())
  t.is(errorOf(await post(CREDENTIAL, 'unknown', jwe)), '401 invalid_token')
  const headers = { 'content-type': 'application/jwt' }
  t.is((await world.ask('/v1/openid/notification', { token: world.token, raw: jwe, headers })).status, 415)
})

test('tenants have keys of their own, and each counts for two months at most (D-900)', async (t) => {
  const other = await addTenant(world.dependencies.systemSql, 'others')
  const { config, database } = world.dependencies
  let now = new Date('2027-03-01T00:00:00Z')
  const made = createWalletEncryption({ config, database, now: () => now })
  const keysOf = (tenantId: string): RequestEncryption => ({
    jwks: made.requestKeys(tenantId),
    enc_values_supported: [],
    encryption_required: false,
  })
  const { tenantId } = world.first
  const own = keysOf(tenantId)
  t.is(own.jwks.keys[0]?.d, undefined)
  t.not(own.jwks.keys[0]?.x, keysOf(other.tenantId).jwks.keys[0]?.x)
  const jwe = await encryptFor(own, want())
  t.deepEqual((await made.openRequest(tenantId, { jwe })).body, want())
  await t.throwsAsync(made.openRequest(other.tenantId, { jwe }), { code: 'wallet.invalid_encryption_parameters' })
  now = new Date('2027-03-31T00:00:00Z')
  t.not(keysOf(tenantId).jwks.keys[0]?.kid, own.jwks.keys[0]?.kid)
  t.deepEqual((await made.openRequest(tenantId, { jwe })).body, want(), 'of the month before')
  now = new Date('2027-04-30T00:00:00Z')
  await t.throwsAsync(made.openRequest(tenantId, { jwe }), { code: 'wallet.invalid_encryption_parameters' })
})
