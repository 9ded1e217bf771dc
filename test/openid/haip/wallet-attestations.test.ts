import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { JWTPayload } from 'jose'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { addTenant } from '../../support/frame/tenants.ts'
import {
  type Authorization,
  assertionOf,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  PROVIDERS,
  WALLET_CLIENT,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from '../../support/openid/wallet.ts'
import type { Reply } from '../../support/world.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const RETURN = 'https://wallet.example/return'

let authorization: Authorization
let template: string
let provider: WalletProvider
let instance: WalletKey
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  provider = await openWalletProvider()
  await provider.register(world, { redirectUris: [RETURN] })
  instance = await createWalletKey()
})
test.after.always(() => authorization?.close())

const serverMetadata = async () =>
  (await authorization.world.ask('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>()

/** Both headers: an attestation and its proof, with a challenge of the issuer. */
async function headersFor(
  attestation: Promise<string>,
  { claims = {}, header = {}, key = instance }: { claims?: JWTPayload; header?: object; key?: WalletKey } = {},
): Promise<Record<string, string>> {
  const challenge = await challengeOf(authorization.world)
  return {
    'oauth-client-attestation': await attestation,
    'oauth-client-attestation-pop': await attestationProof(key, authorization.base, { challenge, ...claims }, header),
  }
}

/** Exchanges the code of a new offer. */
async function exchange(headers: Record<string, string>, more: Record<string, string> = {}): Promise<Reply> {
  const { world, form } = authorization
  const { uri } = await sessionsOf(world).offer({
    ...{ credentials: [template], claims: { given_name: 'Ada' }, grantType: 'pre-authorized_code' },
  })
  const code = offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? ''
  return form('/v1/oauth/token', { grant_type: PRE, 'pre-authorized_code': code, ...more }, headers)
}

test('the metadata names the method, its algorithms and where challenges are', async (t) => {
  const metadata = await serverMetadata()
  t.deepEqual(metadata.token_endpoint_auth_methods_supported, ['none', 'private_key_jwt', 'attest_jwt_client_auth'])
  t.is(metadata.challenge_endpoint, `${authorization.base}/v1/oauth/challenge`)
  for (const name of ['client_attestation', 'client_attestation_pop'])
    t.deepEqual(metadata[`${name}_signing_alg_values_supported`], ['ES256', 'ES384', 'EdDSA'])
})

test('a wallet that its provider vouches for gets a token, and a challenge for the next request', async (t) => {
  const reply = await exchange(await headersFor(provider.attestWallet(instance)), { client_id: WALLET_CLIENT })
  t.is(reply.status, 200, reply.text)
  t.regex(reply.headers.get('oauth-client-attestation-challenge') ?? '', /^[\w-]{20,}$/)
})

test('a proof without our challenge is asked for one, by the header that has it (section 7.4)', async (t) => {
  for (const challenge of [undefined, 'of nobody']) {
    const reply = await exchange(await headersFor(provider.attestWallet(instance), { claims: { challenge } }))
    t.is(errorOf(reply), '400 use_attestation_challenge')
    const next = reply.headers.get('oauth-client-attestation-challenge') ?? ''
    const good = await headersFor(provider.attestWallet(instance), { claims: { challenge: next } })
    t.is((await exchange(good)).status, 200)
  }
  const { world } = authorization
  const { c_nonce } = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>()
  const other = await headersFor(provider.attestWallet(instance), { claims: { challenge: c_nonce } })
  t.is(errorOf(await exchange(other)), '400 use_attestation_challenge', 'a nonce for proofs of keys is none')
})

test('a proof counts once; twenty at once have one success (section 12.1)', async (t) => {
  const headers = await headersFor(provider.attestWallet(instance))
  const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(headers)))
  t.is(replies.filter(({ status }) => status === 200).length, 1)
  t.true(replies.filter(({ status }) => status !== 200).every((reply) => errorOf(reply) === '401 invalid_client'))
})

test('a jti is of one instance: what another one has chosen takes nothing from it', async (t) => {
  const jti = randomUUID()
  for (const key of [await createWalletKey(), await createWalletKey()]) {
    const headers = await headersFor(provider.attestWallet(key), { claims: { jti }, key })
    const reply = await exchange(headers)
    t.is(reply.status, 200, reply.text)
    t.is(errorOf(await exchange(headers)), '401 invalid_client', 'once')
  }
})

/** What is wrong with an attestation or its proof, and the header that is named. */
const REFUSED: [what: string, make: () => Promise<Record<string, string>>][] = [
  ['of a stranger', async () => headersFor((await openWalletProvider()).attestWallet(instance))],
  ['that has expired', () => headersFor(provider.attestWallet(instance, { exp: 1 }))],
  ['without end', () => headersFor(provider.attestWallet(instance, { exp: undefined }))],
  ['without sub', () => headersFor(provider.attestWallet(instance, { sub: undefined }))],
  ['without a key', () => headersFor(provider.attestWallet(instance, { cnf: {} }))],
  [
    'of a private key',
    () => headersFor(provider.attestWallet(instance, { cnf: { jwk: { ...instance.publicJwk, d: 'AAAA' } } })),
  ],
  [
    'of a symmetric key',
    () => headersFor(provider.attestWallet(instance, { cnf: { jwk: { kty: 'oct', k: 'AAAA' } } })),
  ],
  ['of another type', () => headersFor(provider.attestWallet(instance, {}, { typ: 'JWT' }))],
  ['that is not good yet', () => headersFor(provider.attestWallet(instance, { nbf: 4_000_000_000 }))],
  [
    'that brings its own key',
    () => headersFor(provider.attestWallet(instance, {}, { x5c: undefined, jwk: provider.jwk })),
  ],
  ['by an expired certificate', () => headersFor(provider.attestWallet(instance, {}, { x5c: [provider.expired.x5c] }))],
  ['with a status that nobody can check', () => headersFor(provider.attestWallet(instance, { status: {} }))],
  [
    'with a proof of another key',
    async () => headersFor(provider.attestWallet(instance), { key: await createWalletKey() }),
  ],
  [
    'with a proof for another issuer',
    () => headersFor(provider.attestWallet(instance), { claims: { aud: 'https://x.example' } }),
  ],
  [
    'with a proof for two issuers',
    () => headersFor(provider.attestWallet(instance), { claims: { aud: [authorization.base, 'https://x.example'] } }),
  ],
  ['with an old proof', () => headersFor(provider.attestWallet(instance), { claims: { iat: 1 } })],
  ['with a proof without iat', () => headersFor(provider.attestWallet(instance), { claims: { iat: undefined } })],
  ['with a proof without jti', () => headersFor(provider.attestWallet(instance), { claims: { jti: undefined } })],
  ['with a proof of another client', () => headersFor(provider.attestWallet(instance), { claims: { iss: 'another' } })],
  ['with a proof of another type', () => headersFor(provider.attestWallet(instance), { header: { typ: 'dpop+jwt' } })],
  [
    'without a proof',
    async () => {
      const { 'oauth-client-attestation-pop': _proof, ...headers } = await headersFor(provider.attestWallet(instance))
      return headers
    },
  ],
  [
    'without the attestation',
    async () => {
      const { 'oauth-client-attestation': _attestation, ...headers } = await headersFor(provider.attestWallet(instance))
      return headers
    },
  ],
  [
    'without a signature',
    async () => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const header = { alg: 'none', typ: 'oauth-client-attestation+jwt' }
      const claims = { sub: WALLET_CLIENT, exp: 4_000_000_000, cnf: { jwk: instance.publicJwk } }
      return headersFor(Promise.resolve(`${part(header)}.${part(claims)}.`))
    },
  ],
]

for (const [what, make] of REFUSED)
  test(`an attestation ${what} is refused, and uses up nothing of the offer`, async (t) => {
    const reply = await exchange(await make(), { client_id: WALLET_CLIENT })
    t.is(errorOf(reply), '401 invalid_client', reply.text)
    t.is(reply.headers.get('www-authenticate'), null)
  })

test('an attestation of another client than client_id is refused', async (t) => {
  const reply = await exchange(await headersFor(provider.attestWallet(instance)), { client_id: 'another' })
  t.is(errorOf(reply), '401 invalid_client')
})

test('a provider of another tenant, one for keys alone and one that was deleted vouch for nobody', async (t) => {
  const { world } = authorization
  const theirs = await openWalletProvider()
  const token = await world.tokenOf(await addTenant(world.dependencies.systemSql))
  await theirs.register({ ask: world.ask, token })
  t.is(errorOf(await exchange(await headersFor(theirs.attestWallet(instance)))), '401 invalid_client')
  const keys = await openWalletProvider()
  const id = await keys.register(world, { attests: ['keys'] })
  t.is(errorOf(await exchange(await headersFor(keys.attestWallet(instance)))), '401 invalid_client')
  const body = { attests: ['wallets'] }
  t.is((await world.ask(`${PROVIDERS}/${id}`, { method: 'PUT', token: world.token, body })).status, 200)
  t.is((await exchange(await headersFor(keys.attestWallet(instance)))).status, 200)
  t.is((await world.ask(`${PROVIDERS}/${id}`, { method: 'DELETE', token: world.token })).status, 204)
  t.is(errorOf(await exchange(await headersFor(keys.attestWallet(instance)))), '401 invalid_client')
})

test('a wallet that has keys of its own authenticates by them, whoever else vouches for it', async (t) => {
  const { world } = authorization
  const clientId = `https://${randomUUID()}.example`
  const own = await createWalletKey()
  const jwks = { keys: [own.publicJwk] }
  const body = { name: 'With keys', clientId, redirectUris: [`${clientId}/return`], jwks }
  t.is((await world.ask('/v1/openid/wallets', { token: world.token, body })).status, 201)
  const reply = await exchange(await headersFor(provider.attestWallet(instance, { sub: clientId })))
  t.is(errorOf(reply), '401 invalid_client')
  for (const [sub, expected] of [
    [clientId, 200],
    [WALLET_CLIENT, 401],
  ] as const) {
    const assertion = await assertionOf(own, clientId, authorization.base)
    const both = await exchange(await headersFor(provider.attestWallet(instance, { sub })), assertion)
    t.is(both.status, expected, 'the assertion and the attestation are of one client')
  }
})

test.serial('requiresWalletAttestation: pushed and exchanged with an attestation, or not at all', async (t) => {
  const { authorizeUrl, base, browser, form, offered, setPolicy } = authorization
  await setPolicy({ requiresWalletAttestation: true })
  try {
    const metadata = await serverMetadata()
    t.deepEqual(metadata.token_endpoint_auth_methods_supported, ['attest_jwt_client_auth'])
    t.false(metadata['pre-authorized_grant_anonymous_access_supported'])
    t.is(errorOf(await exchange({})), '401 invalid_client')
    const { issuerState } = await offered([template])
    const { verifier, challenge } = pkce()
    const more = { client_id: WALLET_CLIENT, redirect_uri: RETURN }
    const parameters = parametersFor(challenge, issuerState, more) as Record<string, string>
    t.is(errorOf(await form('/v1/oauth/par', parameters)), '401 invalid_client')
    const unpushed = await browser().open(authorizeUrl({ ...parameters, redirect_uri: CALLBACK, client_id: 'x' }))
    t.is(new URL(unpushed.location ?? '').searchParams.get('error'), 'unauthorized_client')
    const pushed = await form('/v1/oauth/par', parameters, await headersFor(provider.attestWallet(instance)))
    t.is(pushed.status, 201, pushed.text)
    const { request_uri } = pushed.json<{ request_uri: string }>()
    const url = authorizeUrl({ client_id: WALLET_CLIENT, request_uri })
    const { location = '' } = await browser().follow(url, more.redirect_uri)
    t.is(new URL(location).origin, 'https://wallet.example', 'an address of its provider’s list')
    const code = new URL(location).searchParams.get('code') ?? ''
    const members = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: more.redirect_uri }
    t.is(errorOf(await form('/v1/oauth/token', { ...members, client_id: WALLET_CLIENT })), '401 invalid_client')
    const stranger = await headersFor(provider.attestWallet(instance, { sub: 'https://another.example' }))
    t.is(errorOf(await form('/v1/oauth/token', members, stranger)), '400 invalid_grant', 'the code is of one client')
    const token = await form('/v1/oauth/token', members, await headersFor(provider.attestWallet(instance)))
    t.is(token.status, 200, token.text)
    t.truthy(base)
  } finally {
    await setPolicy({ requiresWalletAttestation: false })
  }
})

test('without an attestation, a wallet that is not registered has no address of its own (RFC 9126, section 2.4)', async (t) => {
  const { form, offered } = authorization
  const { issuerState } = await offered([template])
  const more = { client_id: WALLET_CLIENT, redirect_uri: RETURN }
  const parameters = parametersFor(pkce().challenge, issuerState, more) as Record<string, string>
  t.is(errorOf(await form('/v1/oauth/par', parameters)), '400 invalid_request')
})

test.serial('a code of a request that was pushed with an attestation is of that instance alone', async (t) => {
  const { authorizeUrl, browser, form, offered } = authorization
  const { issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const more = { client_id: WALLET_CLIENT, redirect_uri: RETURN }
  const parameters = parametersFor(challenge, issuerState, more) as Record<string, string>
  const pushed = await form('/v1/oauth/par', parameters, await headersFor(provider.attestWallet(instance)))
  const { request_uri } = pushed.json<{ request_uri: string }>()
  const { location = '' } = await browser().follow(authorizeUrl({ client_id: WALLET_CLIENT, request_uri }), RETURN)
  const code = new URL(location).searchParams.get('code') ?? ''
  const members = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: RETURN }
  t.is(errorOf(await form('/v1/oauth/token', { ...members, client_id: WALLET_CLIENT })), '400 invalid_grant')
  const another = await createWalletKey()
  const stranger = await headersFor(provider.attestWallet(another), { key: another })
  t.is(errorOf(await form('/v1/oauth/token', members, stranger)), '400 invalid_grant')
  const token = await form('/v1/oauth/token', members, await headersFor(provider.attestWallet(instance)))
  t.is(token.status, 200, token.text)
})
