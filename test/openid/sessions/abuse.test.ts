import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { SignJWT } from 'jose'
import { createDid } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { CLAIMS, createTemplates, createWalletKey, offerIn, sessionsOf } from '../../support/openid/wallet.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let world: World
let templates: Awaited<ReturnType<typeof createTemplates>>
test.before(async () => {
  world = await openWorld()
  await createDid(world, 'ed25519', world.token, true)
  templates = await createTemplates(world)
})
test.after.always(() => world?.close())

const form = (members: Record<string, string>) => ({
  raw: new URLSearchParams(members).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})
const exchange = (members: Record<string, string>) => world.ask('/v1/oauth/token', form(members))
const errorOf = (reply: Reply) => `${reply.status} ${reply.json<{ error?: string }>().error}`

async function offered(more: object = {}) {
  const body = { credentials: [templates.ldp_vc, templates.mso_mdoc], claims: CLAIMS, ...more }
  const { id, uri, txCode } = await sessionsOf(world).offer(body)
  return {
    id,
    txCode,
    issuer: offerIn(uri).credential_issuer,
    code: offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? '',
  }
}

async function authorized(more: object = {}) {
  const offer = await offered(more)
  const reply = await exchange({ grant_type: PRE, 'pre-authorized_code': offer.code })
  return { ...offer, token: reply.json<{ access_token: string }>().access_token }
}

const nonceOf = async () =>
  (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce

test('a code works once, of twenty requests at the same time', async (t) => {
  const { code, id } = await offered()
  const members = { grant_type: PRE, 'pre-authorized_code': code }
  const many = await Promise.all(Array.from({ length: 20 }, () => exchange(members)))
  t.deepEqual(many.map(errorOf).sort().slice(1), Array(19).fill('400 invalid_grant'))
  t.is(many.filter(({ status }) => status === 200).length, 1)
  t.is(errorOf(await exchange({ ...members, 'pre-authorized_code': 'x'.repeat(43) })), '400 invalid_grant')
  t.is((await sessionsOf(world).read(id)).steps.filter(({ step }) => step === 'TOKEN_ISSUED').length, 1)
})

const TOKEN_REQUESTS: [string, Record<string, string>, string][] = [
  ['no grant type', {}, '400 invalid_request'],
  ['the grant of passwords', { grant_type: 'password', username: 'a', password: 'b' }, '400 unsupported_grant_type'],
  ['client credentials', { grant_type: 'client_credentials' }, '400 unsupported_grant_type'],
  ['no code', { grant_type: PRE }, '400 invalid_request'],
  ['an empty code', { grant_type: PRE, 'pre-authorized_code': '' }, '400 invalid_request'],
  ['a code of 5,000 characters', { grant_type: PRE, 'pre-authorized_code': 'x'.repeat(5_000) }, '400 invalid_request'],
  [
    'authorization details that are no JSON',
    { grant_type: PRE, 'pre-authorized_code': 'x', authorization_details: '[' },
    '400 invalid_authorization_details',
  ],
  [
    'a code verifier of 42 characters',
    { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://x.example', code_verifier: 'a'.repeat(42) },
    '400 invalid_request',
  ],
  [
    'a pre-authorized code as an authorization code',
    { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://x.example', code_verifier: 'a'.repeat(43) },
    '400 invalid_grant',
  ],
]
for (const [name, members, expected] of TOKEN_REQUESTS)
  test(`token request with ${name}: ${expected} (RFC 6749, section 5.2)`, async (t) => {
    const reply = await exchange(members)
    t.is(errorOf(reply), expected)
    t.regex(reply.headers.get('content-type') ?? '', /^application\/json/)
    t.is(reply.headers.get('cache-control'), 'no-store')
  })

test('a transaction code: missing or needless uses up nothing, and five wrong ones at once end the offer', async (t) => {
  const { code, txCode = '', id } = await offered({ txCode: true })
  const members = { grant_type: PRE, 'pre-authorized_code': code }
  const wrong = txCode === '000000' ? '000001' : '000000'
  t.is(errorOf(await exchange(members)), '400 invalid_request')
  t.is(errorOf(await exchange({ ...members, tx_code: wrong })), '400 invalid_grant')
  t.is((await sessionsOf(world).read(id)).txCodeFailures, 1)
  const replies = await Promise.all(Array.from({ length: 50 }, () => exchange({ ...members, tx_code: wrong })))
  t.deepEqual([...new Set(replies.map(errorOf))], ['400 invalid_grant'])
  t.is(errorOf(await exchange({ ...members, tx_code: txCode })), '400 invalid_grant', 'too late')
  const session = await sessionsOf(world).read(id)
  t.like(session, { state: 'FAILED', txCodeFailures: 5, failure: { code: 'openid_session.tx_code_guessed' } })
  const plain = await offered()
  const needless = { grant_type: PRE, 'pre-authorized_code': plain.code }
  t.is(errorOf(await exchange({ ...needless, tx_code: '123456' })), '400 invalid_request')
  t.is((await exchange(needless)).status, 200)
  const right = await offered({ txCode: true })
  const rightCode = { grant_type: PRE, 'pre-authorized_code': right.code, tx_code: right.txCode ?? '' }
  t.is((await exchange(rightCode)).status, 200)
})

test('the casing of the request is that of the answer, and identifiers are those of the token (D-465)', async (t) => {
  const { code } = await offered()
  const camel = await world.ask('/v1/oauth/token', { body: { grantType: PRE, preAuthorizedCode: code } })
  t.like(camel.json(), { tokenType: 'Bearer', expiresIn: 300 })
  const second = await offered()
  const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: templates.ldp_vc }])
  const reply = await exchange({ grant_type: PRE, 'pre-authorized_code': second.code, authorization_details: details })
  type Answer = { access_token: string; authorization_details: { credential_identifiers: string[] }[] }
  const answer = reply.json<Answer>()
  t.is(answer.authorization_details[0]?.credential_identifiers.length, 1)
  const ask = (body: object) => world.ask('/v1/openid/credential', { token: answer.access_token, body })
  const byConfiguration = await ask({ credential_configuration_id: templates.ldp_vc })
  t.is(errorOf(byConfiguration), '400 invalid_credential_request')
  const byUnknown = await ask({ credential_configuration_id: randomUUID() })
  t.is(errorOf(byUnknown), '400 unknown_credential_configuration', 'an identifier in its place would not help')
  t.is(errorOf(await ask({ credential_identifier: 'x' })), '400 unknown_credential_identifier')
  const identifier = answer.authorization_details[0]?.credential_identifiers[0]
  t.is(errorOf(await ask({ credential_identifier: identifier })), '400 invalid_proof', 'it is known, and wants a key')
})

test('tokens: none, unknown, of a client of the API, of another tenant, in the query, and after a cancellation', async (t) => {
  const { token, id } = await authorized()
  const ask = (more: object) => world.ask('/v1/openid/credential', { body: {}, ...more })
  for (const each of [undefined, 'x', randomBytes(32).toString('base64url'), world.token]) {
    const reply = await ask({ token: each })
    t.is(errorOf(reply), '401 invalid_token')
    const challenge = each === undefined ? 'DPoP algs="ES256 ES384 EdDSA", Bearer' : 'Bearer error="invalid_token"'
    t.is(reply.headers.get('www-authenticate'), challenge)
  }
  const inQuery = await world.ask(`/v1/openid/credential?access_token=${token}`, { body: {} })
  t.is(errorOf(inQuery), '401 invalid_token')
  t.is((await world.ask('/v1/openid/sessions', { token })).status, 401, 'it is no token of the API')
  t.is((await sessionsOf(world).post(id, 'cancel')).status, 200)
  t.is(errorOf(await ask({ token })), '401 invalid_token')
  t.is(refusal(await sessionsOf(world).post(id, 'cancel'), 409), 'openid_session.ended')
})

const REQUESTS: [string, (id: string) => object, string][] = [
  ['nothing', () => ({}), 'invalid_credential_request'],
  ['two names', (id) => ({ credential_configuration_id: id, format: 'ldp_vc' }), 'invalid_credential_request'],
  ['an unknown configuration', () => ({ credential_configuration_id: 'x' }), 'unknown_credential_configuration'],
  ['an identifier without any', () => ({ credential_identifier: 'x' }), 'unknown_credential_identifier'],
  ['a format that was not offered', () => ({ format: 'cwt', type: 'X' }), 'unknown_credential_configuration'],
  ['no proof', (id) => ({ credential_configuration_id: id }), 'invalid_proof'],
  ['an empty list', (id) => ({ credential_configuration_id: id, proofs: { jwt: [] } }), 'invalid_proof'],
  ['21 proofs', (id) => ({ credential_configuration_id: id, proofs: { jwt: Array(21).fill('x') } }), 'invalid_proof'],
  ['another kind', (id) => ({ credential_configuration_id: id, proofs: { ldp_vp: ['x'] } }), 'invalid_proof'],
  [
    'proof and proofs',
    (id) => ({ credential_configuration_id: id, proof: { proof_type: 'jwt', jwt: 'x' }, proofs: { jwt: ['x'] } }),
    'invalid_credential_request',
  ],
  [
    'no JWT',
    (id) => ({ credential_configuration_id: id, proof: { proof_type: 'jwt', jwt: 'a.b.c' } }),
    'invalid_proof',
  ],
  [
    'encryption',
    (id) => ({ credential_configuration_id: id, credential_response_encryption: { enc: 'A256GCM' } }),
    'invalid_encryption_parameters',
  ],
]
test('credential requests that cannot be answered get the code of the standard (OpenID4VCI 1.0, section 8.3.1.2)', async (t) => {
  const { token, id } = await authorized()
  for (const [name, bodyOf, expected] of REQUESTS) {
    const reply = await world.ask('/v1/openid/credential', { token, body: bodyOf(templates.ldp_vc) })
    t.is(errorOf(reply), `400 ${expected}`, name)
  }
  t.is(
    errorOf(await world.ask('/v1/openid/credential', { token, raw: '{', method: 'POST' })),
    '400 invalid_credential_request',
  )
  t.is(
    (await sessionsOf(world).read(id)).issuances.every(({ state }) => state === 'OFFERED'),
    true,
  )
})

interface Forged {
  header?: object
  claims?: object
  /** In place of the key's own signature. */
  jwt?: (valid: { nonce: string; issuer: string }) => Promise<string>
}

const seconds = () => Math.floor(Date.now() / 1000)

const PROOFS: [string, Forged, string][] = [
  ['another typ', { header: { typ: 'JWT' } }, 'invalid_proof'],
  ['another audience', { claims: { aud: 'https://other.example' } }, 'invalid_proof'],
  ['two audiences', { claims: { aud: ['https://other.example'] } }, 'invalid_proof'],
  ['no audience', { claims: { aud: undefined } }, 'invalid_proof'],
  ['an iat of 10 minutes ago', { claims: { iat: seconds() - 600 } }, 'invalid_proof'],
  ['an iat of the future', { claims: { iat: seconds() + 600 } }, 'invalid_proof'],
  ['no iat', { claims: { iat: undefined } }, 'invalid_proof'],
  ['no nonce', { claims: { nonce: undefined } }, 'invalid_proof'],
  ['a nonce of its own', { claims: { nonce: 'x'.repeat(51) } }, 'invalid_nonce'],
  ['an issuer that the token request did not name', { claims: { iss: 'wallet' } }, 'invalid_proof'],
  ['no key', { header: { jwk: undefined } }, 'invalid_proof'],
  ['kid and jwk', { header: { kid: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' } }, 'invalid_proof'],
  [
    'a symmetric key',
    {
      jwt: ({ nonce, issuer }) =>
        new SignJWT({ nonce, aud: issuer, iat: seconds() })
          .setProtectedHeader({ alg: 'HS256', typ: 'openid4vci-proof+jwt', jwk: { kty: 'oct', k: 'AAAA' } as never })
          .sign(new Uint8Array(32)),
    },
    'invalid_proof',
  ],
  [
    'no signature',
    {
      jwt: async ({ nonce, issuer }) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
        return `${part({ alg: 'none', typ: 'openid4vci-proof+jwt' })}.${part({ nonce, aud: issuer, iat: seconds() })}.`
      },
    },
    'invalid_proof',
  ],
]
test('proofs that prove nothing are refused, and use up no nonce (OpenID4VCI 1.0, appendix F.4)', async (t) => {
  const { token, issuer, id } = await authorized()
  const key = await createWalletKey()
  const nonce = await nonceOf()
  for (const [name, { header, claims, jwt }, expected] of PROOFS) {
    const own = () =>
      key.sign(
        { typ: 'openid4vci-proof+jwt', jwk: key.publicJwk, ...header },
        { nonce, aud: issuer, iat: seconds(), ...claims },
      )
    const proof = await (jwt ? jwt({ nonce, issuer }) : own())
    const body = { credential_configuration_id: templates.ldp_vc, proofs: { jwt: [proof] } }
    t.is(errorOf(await world.ask('/v1/openid/credential', { token, body })), `400 ${expected}`, name)
  }
  const used = await world.dependencies.systemSql.query({ text: 'select from openid_used_nonces', values: [] })
  t.is(used.rows.length, 0)
  t.is((await sessionsOf(world).read(id)).issuances[0]?.state, 'OFFERED')
})

test('handles of others give nothing: transactions, notifications', async (t) => {
  const { token } = await authorized()
  const handle = randomBytes(32).toString('base64url')
  const deferred = await world.ask('/v1/openid/deferred-credential', { token, body: { transaction_id: handle } })
  t.is(errorOf(deferred), '400 invalid_transaction_id')
  const notified = (body: object) => world.ask('/v1/openid/notification', { token, body })
  t.is(
    errorOf(await notified({ notification_id: handle, event: 'credential_accepted' })),
    '400 invalid_notification_id',
  )
  t.is(errorOf(await notified({ notification_id: handle, event: 'x' })), '400 invalid_notification_request')
})

const OFFERS: [string, (id: string) => object, number, string][] = [
  ['no template', () => ({ credentials: [] }), 400, 'openid_offer.invalid'],
  ['one template twice', (id) => ({ credentials: [id, id] }), 400, 'openid_offer.invalid'],
  ['an unknown template', () => ({ credentials: ['7e6d5c4b-3a29-4f18-8e07-d6c5b4a39281'], claims: CLAIMS }), 404, 'openid_offer.unknown_configuration'], // biome-ignore format: one row
  ['a text that is no id', () => ({ credentials: ["x' or 1=1"] }), 404, 'openid_offer.unknown_configuration'],
  ['a claim that is missing', (id) => ({ credentials: [id], grantType: 'pre-authorized_code' }), 400, 'openid_offer.claims_unfit'], // biome-ignore format: one row
  ['a claim that no template takes', (id) => ({ credentials: [id], claims: { ...CLAIMS, nickname: 'x' } }), 400, 'openid_offer.claims_unfit'], // biome-ignore format: one row
  ['no time', (id) => ({ credentials: [id], claims: CLAIMS, expiresInSec: 0 }), 400, 'openid_offer.invalid'],
  ['time without end', (id) => ({ credentials: [id], claims: CLAIMS, expiresInSec: 9_007_199_254_740_991 }), 400, 'openid_offer.invalid'], // biome-ignore format: one row
]
for (const [name, bodyOf, status, code] of OFFERS)
  test(`an offer with ${name} is refused by ${code}`, async (t) => {
    const reply = await world.ask('/v1/openid/sessions', { token: world.token, body: bodyOf(templates.mso_mdoc) })
    t.is(refusal(reply, status), code)
  })

test('an offer that has ended gives no token, and its session says so', async (t) => {
  const { code, id } = await offered({ expiresInSec: 1 })
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  t.is(errorOf(await exchange({ grant_type: PRE, 'pre-authorized_code': code })), '400 invalid_grant')
  t.is((await sessionsOf(world).read(id)).state, 'OFFERED', 'its workflow ends it')
})

test('the metadata of a host is its tenant’s, and a stranger’s host has none', async (t) => {
  const own = await world.ask('/.well-known/openid-credential-issuer')
  const { credential_configurations_supported: known, credential_issuer: issuer } = own.json<Record<string, object>>()
  t.is(String(issuer), world.url)
  for (const id of Object.values(templates)) t.true(id in (known ?? {}), id)
  const server = await world.ask('/.well-known/oauth-authorization-server')
  t.like(server.json(), { issuer: world.url, token_endpoint: `${world.url}/v1/oauth/token` })
  const specified = await world.ask('/v1/openid/metadata')
  t.like(specified.json(), { credentialIssuer: world.url, codeChallengeMethodsSupported: ['S256'] })
})
