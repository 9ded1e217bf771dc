import { randomBytes } from 'node:crypto'
import test from 'ava'
import { cookieOf } from '../../../activities/openid/authorization/records.ts'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import {
  type Authorization,
  assertionOf,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
  queryOf,
} from '../../support/openid/authorization.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from '../../support/openid/wallet.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const WALLET = 'https://wallet.example'
const RETURN = 'https://wallet.example/return'

let authorization: Authorization
let template: string
let key: WalletKey
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  key = await createWalletKey()
  const jwks = { keys: [{ ...key.publicJwk, kid: '1' }] }
  const body = { name: 'With keys', clientId: WALLET, redirectUris: [RETURN], jwks }
  const reply = await world.ask('/v1/openid/wallets', { token: world.token, body })
  if (reply.status !== 201) throw new Error(`no wallet: ${reply.text}`)
})
test.after.always(() => authorization?.close())

const registered = (challenge: string, issuerState: string, more: Record<string, string> = {}) =>
  parametersFor(challenge, issuerState, { client_id: WALLET, redirect_uri: RETURN, ...more }) as Record<string, string>

test('private_key_jwt: a wallet with keys pushes and exchanges with assertions, each good once (RFC 7523)', async (t) => {
  const { authorizeUrl, base, browser, exchange, form, offered } = authorization
  const { issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const parameters = registered(challenge, issuerState)
  t.is(errorOf(await form('/v1/oauth/par', parameters)), '401 invalid_client', 'it has to authenticate')
  const assertion = await assertionOf(key, WALLET, base)
  const pushed = await form('/v1/oauth/par', { ...parameters, ...assertion })
  t.is(pushed.status, 201, pushed.text)
  t.is(errorOf(await form('/v1/oauth/par', { ...parameters, ...assertion })), '401 invalid_client', 'its jti was used')
  const { request_uri: requestUri, expires_in: seconds } = pushed.json<{ request_uri: string; expires_in: number }>()
  t.is(seconds, 90)
  const url = authorizeUrl({ client_id: WALLET, request_uri: requestUri })
  const { location } = await browser().follow(url, RETURN)
  const code = queryOf(location).code ?? ''
  t.is((await browser().open(url)).status, 400, 'a request_uri works once (RFC 9126, section 4)')
  const members = { code, code_verifier: verifier, redirect_uri: RETURN }
  t.is(errorOf(await exchange({ ...members, client_id: WALLET })), '401 invalid_client')
  const token = await exchange({ ...members, ...(await assertionOf(key, WALLET, `${base}/v1/oauth/token`)) })
  t.is(token.status, 200, token.text)
})

test('client assertions that break a rule are refused, without a challenge of a scheme', async (t) => {
  const { base, exchange } = authorization
  const other = await createWalletKey()
  const now = Math.floor(Date.now() / 1000)
  const members = { code: 'x', code_verifier: pkce().verifier, redirect_uri: RETURN }
  const none = { alg: 'none' }
  const unsigned = [none, { iss: WALLET, sub: WALLET, aud: base, jti: 'x', exp: now + 60 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const cases: [string, Record<string, string>, string?][] = [
    ['another key', await assertionOf(other, WALLET, base)],
    ['another audience', await assertionOf(key, WALLET, 'https://other.example')],
    ['several audiences', await assertionOf(key, WALLET, base, { aud: [base, 'https://other.example'] })],
    ['another issuer', await assertionOf(key, WALLET, base, { iss: 'other' })],
    ['an unknown wallet', await assertionOf(key, 'other', base)],
    ['an end that is over', await assertionOf(key, WALLET, base, { exp: now - 600 })],
    ['an end in an hour', await assertionOf(key, WALLET, base, { exp: now + 3_600 })],
    ['an end beyond all times', await assertionOf(key, WALLET, base, { exp: 1e300 })],
    ['a wallet that no database finds', await assertionOf(key, '\u0000', base)],
    ['no jti', await assertionOf(key, WALLET, base, { jti: '' })],
    ['no signature', { client_assertion_type: type, client_assertion: `${unsigned}.` }],
    ['no JWT', { client_assertion_type: type, client_assertion: 'x' }],
    ['another client_id', { ...(await assertionOf(key, WALLET, base)), client_id: 'other' }],
    ['no type', { client_assertion: 'x' }, '400 invalid_request'],
    ['another type', { client_assertion: 'x', client_assertion_type: 'x' }, '400 invalid_request'],
  ]
  for (const [name, assertion, expected = '401 invalid_client'] of cases) {
    const reply = await exchange({ ...members, ...assertion })
    t.is(errorOf(reply), expected, name)
    t.is(reply.headers.get('www-authenticate'), null, name)
  }
})

test('pushed requests are checked as the others are, and belong to one wallet', async (t) => {
  const { authorizeUrl, browser, form, offered } = authorization
  const { issuerState } = await offered([template])
  const own = parametersFor(pkce().challenge, issuerState) as Record<string, string>
  const cases: [Record<string, string>, string][] = [
    [{ code_challenge_method: 'plain' }, '400 invalid_request'],
    [{ redirect_uri: 'https://evil.example' }, '400 invalid_request'],
    [{ response_type: 'token' }, '400 unsupported_response_type'],
    [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, '400 invalid_request'],
    [{ issuer_state: 'x' }, '400 invalid_request'],
    [{ client_id: '' }, '400 invalid_request'],
    [{ authorization_details: '[]' }, '400 invalid_authorization_details'],
    [{ login_hint: 'x'.repeat(20_000) }, '400 invalid_request'],
  ]
  for (const [change, expected] of cases)
    t.is(errorOf(await form('/v1/oauth/par', { ...own, ...change })), expected, JSON.stringify(change).slice(0, 100))
  const pushed = await form('/v1/oauth/par', own)
  const { request_uri: requestUri } = pushed.json<{ request_uri: string }>()
  const asked = [{ client_id: 'other', request_uri: requestUri }, { request_uri: requestUri }, { client_id: 'wallet' }]
  t.is((await browser().open(authorizeUrl(asked[0] ?? {}))).status, 400, 'of another wallet')
  t.is((await browser().open(authorizeUrl(asked[1] ?? {}))).status, 400, 'of no wallet')
  const { issuerState: state } = await offered([template])
  const jsonPushed = await authorization.world.ask('/v1/oauth/par', {
    body: parametersFor(pkce().challenge, state, { authorization_details: undefined }),
  })
  t.is(jsonPushed.status, 201, jsonPushed.text)
})

test.serial(
  'a tenant may require each of PAR, DPoP and private_key_jwt; the metadata says so (RFC 8414)',
  async (t) => {
    const { authorizeUrl, base, browser, exchange, form, offered, setPolicy, world } = authorization
    const metadata = async () =>
      (await world.ask('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>()
    const before = await metadata()
    t.like(before, {
      authorization_endpoint: `${base}/v1/oauth/authorize`,
      pushed_authorization_request_endpoint: `${base}/v1/oauth/par`,
      require_pushed_authorization_requests: false,
      authorization_response_iss_parameter_supported: true,
      'pre-authorized_grant_anonymous_access_supported': true,
    })
    t.deepEqual(before.token_endpoint_auth_methods_supported, ['none', 'private_key_jwt'])
    t.deepEqual(before.grant_types_supported, ['authorization_code', PRE])
    t.deepEqual(before.code_challenge_methods_supported, ['S256'])
    t.true((before.dpop_signing_alg_values_supported as string[]).includes('ES256'))
    const specified = (await world.ask('/v1/openid/metadata')).json<Record<string, unknown>>()
    t.like(specified, { authorizationEndpoint: `${base}/v1/oauth/authorize` })
    t.deepEqual(specified.responseTypesSupported, ['code'])
    t.deepEqual(specified.grantTypesSupported, ['authorization_code', PRE])
    const { issuerState } = await offered([template])
    const own = parametersFor(pkce().challenge, issuerState) as Record<string, string>
    const pre = async () => {
      const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: { given_name: 'Ada' } })
      return { grant_type: PRE, 'pre-authorized_code': offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? '' }
    }
    try {
      await setPolicy({ requiresPar: true })
      t.true((await metadata()).require_pushed_authorization_requests)
      t.is(queryOf((await browser().open(authorizeUrl(own))).location).error, 'invalid_request')
      t.is((await form('/v1/oauth/par', own)).status, 201)
      await setPolicy({ requiresDpop: true })
      const unbound = await form('/v1/oauth/par', own)
      t.is(unbound.status, 201, `the token is bound, and not the request (RFC 9449, section 10): ${unbound.text}`)
      await setPolicy({ requiresPar: false })
      t.is(errorOf(await form('/v1/oauth/token', await pre())), '400 invalid_request')
      const bare = { code: 'x', code_verifier: pkce().verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
      t.is(errorOf(await exchange(bare)), '400 invalid_request')
      await setPolicy({ requiresDpop: false, requiresClientAuthentication: true })
      t.deepEqual((await metadata()).token_endpoint_auth_methods_supported, ['private_key_jwt'])
      t.false((await metadata())['pre-authorized_grant_anonymous_access_supported'])
      t.is(queryOf((await browser().open(authorizeUrl(own))).location).error, 'unauthorized_client')
      t.is(errorOf(await form('/v1/oauth/par', own)), '401 invalid_client')
      t.is(errorOf(await form('/v1/oauth/token', await pre())), '401 invalid_client')
      const known = await form('/v1/oauth/token', { ...(await pre()), ...(await assertionOf(key, WALLET, base)) })
      t.is(known.status, 200, known.text)
    } finally {
      await setPolicy({ requiresPar: false, requiresDpop: false, requiresClientAuthentication: false })
    }
  },
)

test('a tenant without a provider offers no login, and its metadata names none', async (t) => {
  const { ofTenant, world } = authorization
  const tenant = await world.addTenant('bare')
  const token = await world.tokenOf(tenant)
  await createDid(world, 'ed25519', token, true)
  const mapping = { given_name: { map_from: 'claims.given_name' } }
  const { id } = await createCompactTemplate(world, { credential_mappings: mapping }, token)
  const { text } = await ofTenant('bare', '/.well-known/oauth-authorization-server')
  const metadata = JSON.parse(text) as Record<string, unknown>
  t.false('authorization_endpoint' in metadata)
  t.deepEqual(metadata.grant_types_supported, [PRE])
  const offer = (more: object) => world.ask('/v1/openid/sessions', { token, body: { credentials: [id], ...more } })
  t.is(refusal(await offer({ grantType: 'authorization_code' }), 400), 'openid_offer.no_provider')
  const { providerId } = authorization
  for (const grantType of [undefined, 'authorization_code', 'pre-authorized_code']) {
    const named = await offer({ grantType, authenticationProviderId: providerId })
    t.is(refusal(named, 404), 'authentication_provider.not_found', 'another tenant’s, though nobody logs in')
  }
  const withParameters = await offer({ requestedParameters: { loginHint: 'ada', prompt: 'login' } })
  t.true(PRE in offerIn(withParameters.json<{ uri: string }>().uri).grants)
})

test('an offer with a login: who logs holders in is the provider that it names, and it has no transaction code', async (t) => {
  const { providerId, world } = authorization
  const offer = (more: object) =>
    world.ask('/v1/openid/sessions', { token: world.token, body: { credentials: [template], ...more } })
  const named = await offer({ authenticationProviderId: providerId })
  t.truthy(offerIn(named.json<{ uri: string }>().uri).grants.authorization_code?.issuer_state)
  const bad: [object, string][] = [
    [{ grantType: 'authorization_code', txCode: true }, 'txCode'],
    [{ grantType: 'authorization_code', requestedParameters: { state: 'x' } }, 'requestedParameters.state'],
    [
      { grantType: 'authorization_code', requestedParameters: { redirectUri: 'x' } },
      'requestedParameters.redirect_uri',
    ],
    [{ grantType: 'authorization_code', requestedParameters: { maxAge: '-1' } }, 'requestedParameters.max_age'],
    [{ grantType: 'authorization_code', requestedParameters: { a: 'x'.repeat(2_001) } }, 'requestedParameters.a'],
  ]
  for (const [more, path] of bad) {
    const reply = await offer(more)
    t.is(refusal(reply, 400), 'openid_offer.invalid')
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, path)
  }
})

test('wallets: registered, listed, changed and deleted; what cannot be registered names its place', async (t) => {
  const { world } = authorization
  const { token } = world
  const at = '/v1/openid/wallets'
  const created = await world.ask(at, { token, body: { name: 'A', redirectUris: ['com.example.a:/cb'] } })
  const wallet = created.json<{ id: string; clientId: string; jwks: null }>()
  t.is(created.headers.get('location'), `${at}/${wallet.id}`)
  t.is(wallet.clientId, wallet.id)
  const { publicJwk } = await createWalletKey('EdDSA')
  const own = `${at}/${wallet.id}`
  const keyed = await world.ask(own, { method: 'PUT', token, body: { jwks: { keys: [publicJwk] } } })
  t.like(keyed.json(), { name: 'A', redirectUris: ['com.example.a:/cb'], jwks: { keys: [publicJwk] } })
  t.like((await world.ask(own, { method: 'PUT', token, body: { jwks: null } })).json(), { jwks: null })
  const same = { name: 'B', clientId: wallet.clientId, redirectUris: ['com.example.b:/cb'] }
  t.is(refusal(await world.ask(at, { token, body: same }), 409), 'openid_wallet.exists')
  const { publicJwk: ec } = await createWalletKey()
  const bad: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ clientId: 'with space' }, 'clientId'],
    [{ redirectUris: [] }, 'redirectUris'],
    [{ redirectUris: ['https://a.example', 'https://a.example'] }, 'redirectUris[1]'],
    [{ redirectUris: ['http://a.example/'] }, 'redirectUris[0]'],
    [{ redirectUris: ['javascript:alert(1)'] }, 'redirectUris[0]'],
    [{ redirectUris: ['https://a.example/#x'] }, 'redirectUris[0]'],
    [{ redirectUris: ['https://a@a.example/'] }, 'redirectUris[0]'],
    [{ redirectUris: ['https://a.example/x/../y'] }, 'redirectUris[0]'],
    [{ jwks: {} }, 'jwks.keys'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, 'jwks.keys[0]'],
    [{ jwks: { keys: [{ ...publicJwk, d: 'x' }] } }, 'jwks.keys[0]'],
    [{ jwks: { keys: [{ ...ec, y: ec.x }] } }, 'jwks.keys[0]'],
    [{ jwks: { keys: [{ ...ec, crv: 'P-384' }] } }, 'jwks.keys[0]'],
    [{ jwks: { keys: [{ kty: 'RSA', n: 'x', e: 'AQAB' }] } }, 'jwks.keys[0]'],
  ]
  for (const [change, path] of bad) {
    const reply = await world.ask(at, { token, body: { name: 'C', redirectUris: ['https://c.example/'], ...change } })
    t.is(reply.status, 400, path)
    const [error] = reply.json<{ errors: { path: string }[] }>().errors
    t.is(error?.path.replace(/\.(\d+)/g, '[$1]'), path, reply.text)
  }
  t.is((await world.ask(own, { method: 'DELETE', token })).status, 204)
  t.is(refusal(await world.ask(own, { token }), 404), 'openid_wallet.not_found')
})

test('hooks: an answer that names no login, is no JWT, or comes without any, is refused', async (t) => {
  const { base, browser } = authorization
  const post = async (token: string) =>
    (await browser().open(`${base}/v1/oauth/interaction`, { form: { session_token: token }, crossSite: true })).status
  const jwt = (payload: object) =>
    ['{"alg":"HS256"}', JSON.stringify(payload), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')
  t.is(await post('x'), 400)
  t.is(await post(jwt({})), 400)
  t.is(await post(jwt({ jti: 'x' })), 400)
  t.is(await post(jwt({ jti: '6b1f4e2a-0000-4000-8000-000000000000' })), 404, 'the tenant has no hook')
  for (const login of ['', 'x', '6b1f4e2a-0000-4000-8000-000000000000', randomBytes(2_000).toString('hex')])
    t.is((await browser().open(`${base}/v1/oauth/interaction?login=${login}`)).status, 400)
})

test('over https the cookie of a login is one that no other host can set (RFC 6265bis, section 4.1.3)', (t) => {
  const { name, secure } = cookieOf('https://issuer.example', 'x', 'secret', 900)
  t.deepEqual([name, secure], ['__Host-countersign-login-x', true])
  t.false(cookieOf('http://localhost:3000', 'x', 'secret', 900).secure)
})
