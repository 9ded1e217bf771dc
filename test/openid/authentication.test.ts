import { randomUUID } from 'node:crypto'
import test from 'ava'
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { createPlatform } from '../../activities/index.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import {
  accountOf,
  BASIC_SECRET,
  openProviders,
  type Providers,
  playProvider,
  REFUSED,
} from '../support/openid/provider.ts'
import { openWorld, type World } from '../support/world.ts'

const PATH = '/v1/users/authentication-providers'

let providers: Providers
let world: World
let platform: ReturnType<typeof createPlatform>
test.before(async () => {
  const base = 'https://issuer.test'
  providers = await openProviders(`${base}/v1/oauth/authentication/callback`)
  world = await openWorld({ env: { ...providers.env, PUBLIC_URL: base } })
  platform = createPlatform(world.dependencies)
})
test.after.always(async () => {
  await world?.close()
  await providers?.close()
})

const call = () => ({ ...world.first, requestId: randomUUID() })
const { stringify } = JSON

async function created(more: object): Promise<{ id: string; client_jwks?: { keys: object[] } }> {
  const claims = { claims_to_persist: ['email', 'address'], scope: ['openid', 'profile', 'email', 'address'] }
  const body = { url: providers.issuer, ...claims, ...more }
  const reply = await world.ask(PATH, { token: world.token, body })
  if (reply.status !== 200) throw new Error(`no provider: ${reply.text}`)
  return reply.json()
}

const begin = async (providerId: string, parameters = {}, context = {}) =>
  (await platform.authentication.beginAuthentication(call(), { providerId, parameters, context })).url
const finish = (parameters: URLSearchParams, tenantId = world.first.tenantId) =>
  platform.authentication.finishAuthentication(tenantId, parameters)

const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('it was not refused')
}

const logOf = async (name: string, providerId: string) => {
  const { rows } = await world.dependencies.systemSql.query<{ metadata: Record<string, string> }>({
    text: `select metadata from logs where type = $1 and metadata ->> 'providerId' = $2`,
    values: [name, providerId],
  })
  return rows.map(({ metadata }) => metadata)
}

const CLIENTS: Record<string, object> = {
  client_secret_basic: { client_id: 'basic', client_secret: BASIC_SECRET },
  client_secret_post: { client_id: 'post', client_secret: 'post-secret' },
  none: { client_id: 'none' },
}

for (const [method, client] of Object.entries(CLIENTS))
  test(`a holder is identified by a real provider, with ${method} (OpenID Connect Core 1.0, 3.1)`, async (t) => {
    const { id } = await created({
      ...client,
      token_endpoint_auth_method: method,
      forwarded_request_parameters: ['login_hint', 'prompt'],
      static_request_parameters: { ui_locales: 'mi', prompt: { Text: 'login' }, max_age: '60' },
    })
    const login = `user-${method}`
    const url = new URL(await begin(id, { login_hint: login, prompt: 'none', other: 'x' }, { session: 's1' }))
    const sent = Object.fromEntries(url.searchParams)
    t.like(sent, { response_type: 'code', code_challenge_method: 'S256', scope: 'openid profile email address' })
    t.like(sent, { login_hint: login, ui_locales: 'mi', prompt: 'login', other: undefined })
    for (const name of ['state', 'nonce', 'code_challenge']) t.is(sent[name]?.length, 43, name)
    const { sub, ...claims } = accountOf(login)
    const answer = await providers.browse(url.href)
    const identified = await finish(answer)
    const { email, address } = claims
    t.like(identified, { providerId: id, url: providers.issuer, subjectId: sub, context: { session: 's1' } })
    t.like(identified.claims, claims)
    for (const name of ['iss', 'aud', 'nonce', 'at_hash', 'exp', 'sub']) t.false(name in identified.claims, name)
    const { users } = await platform.users.listUsers(world.first.tenantId, { limit: 10, offset: 0 }, id)
    t.deepEqual(users, [
      {
        id: identified.userId,
        claims: { email, address },
        authenticationProvider: { providerId: id, url: providers.issuer, subjectId: sub },
      },
    ])
    t.is((await refusalOf(finish(answer))).code, 'authentication.not_under_way', 'a state works once')
    const [entry] = await logOf('USER_AUTHENTICATION_SUCCESS', id)
    t.is(entry?.id, identified.userId)
    t.false(stringify(entry).includes(email))
  })

test('private_key_jwt: the assertion is signed in the key store, and a real provider takes it (RFC 7523)', async (t) => {
  const method = 'private_key_jwt'
  const { id, client_jwks: jwks } = await created({ client_id: 'unknown', token_endpoint_auth_method: method })
  const client = await providers.register({
    jwks,
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: 'ES256',
  })
  const reply = await world.ask(`${PATH}/${id}`, {
    method: 'PUT',
    token: world.token,
    body: { client_id: client.client_id },
  })
  t.is(reply.status, 200, reply.text)
  const { subjectId } = await finish(await providers.browse(await begin(id)))
  t.is(subjectId, 'ada')
})

test('a second login of one subject updates the user, of whom the claims of before are gone', async (t) => {
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const first = await finish(await providers.browse(await begin(id)))
  await world.ask(`${PATH}/${id}`, { method: 'PUT', token: world.token, body: { claims_to_persist: ['given_name'] } })
  const second = await finish(await providers.browse(await begin(id)))
  t.is(second.userId, first.userId)
  const { users } = await platform.users.listUsers(world.first.tenantId, { limit: 10, offset: 0 }, id)
  t.deepEqual(
    users.map(({ claims }) => claims),
    [{ given_name: 'ada' }],
  )
  const search = (claims: Record<string, unknown>) =>
    platform.users.searchUsers(world.first.tenantId, { providerId: id, claims }, { limit: 10, offset: 0 })
  t.is((await search({ given_name: 'ada' })).total, 1)
  t.is((await refusalOf(search({ email: accountOf('ada').email }))).code, 'user.not_found')
})

test('of 8 callbacks with one state one identifies the holder', async (t) => {
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const answer = await providers.browse(await begin(id))
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => finish(answer)))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('what a browser may change in a callback is refused, and the state is used up', async (t) => {
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const changes: [name: string, change: (answer: URLSearchParams) => void, code: string][] = [
    ['no state', (answer) => answer.delete('state'), 'authentication.not_under_way'],
    ['another state', (answer) => answer.set('state', 'x'.repeat(43)), 'authentication.not_under_way'],
    ['two states', (answer) => answer.append('state', 'x'), 'authentication.not_under_way'],
    ['another issuer (RFC 9207)', (answer) => answer.set('iss', 'https://other.test'), 'authentication.invalid_answer'],
    ['no issuer (RFC 9207)', (answer) => answer.delete('iss'), 'authentication.invalid_answer'],
    ['another code', (answer) => answer.set('code', 'x'), 'authentication.invalid_answer'],
    ['two codes', (answer) => answer.append('code', 'x'), 'authentication.invalid_answer'],
    ['no code', (answer) => answer.delete('code'), 'authentication.invalid_answer'],
    ['a token', (answer) => answer.set('id_token', 'x.y.z'), 'authentication.invalid_answer'],
  ]
  for (const [name, change, code] of changes) {
    const answer = await providers.browse(await begin(id))
    const changed = new URLSearchParams(answer)
    change(changed)
    t.is((await refusalOf(finish(changed))).code, code, name)
    if (code === 'authentication.invalid_answer')
      t.is((await refusalOf(finish(answer))).code, 'authentication.not_under_way', name)
  }
  const [entry] = await logOf('USER_AUTHENTICATION_FAIL', id)
  t.is(entry?.code, 'authentication.invalid_answer')
})

test('a state belongs to one tenant, and ends after 15 minutes', async (t) => {
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const answer = await providers.browse(await begin(id))
  const other = await world.addTenant()
  t.is((await refusalOf(finish(answer, other.tenantId))).code, 'authentication.not_under_way')
  t.is(
    (
      await refusalOf(
        platform.authentication.beginAuthentication({ ...call(), tenantId: other.tenantId }, { providerId: id }),
      )
    ).code,
    'authentication_provider.not_found',
  )
  const later = createPlatform({ ...world.dependencies, now: () => new Date(Date.now() + 15 * 60_000) })
  t.is(
    (await refusalOf(later.authentication.finishAuthentication(world.first.tenantId, answer))).code,
    'authentication.not_under_way',
  )
})

test('a provider that refuses says why by its code alone', async (t) => {
  const { id } = await created({
    ...CLIENTS.client_secret_post,
    token_endpoint_auth_method: 'client_secret_post',
    forwarded_request_parameters: ['login_hint'],
  })
  const answer = await providers.browse(await begin(id, { login_hint: REFUSED }))
  const refusal = await refusalOf(finish(answer))
  t.is(refusal.code, 'authentication.refused')
  t.is(refusal.errors[0]?.code, 'access_denied')
  t.false(stringify([refusal.message, refusal.errors]).includes('script'))
})

test('a forwarded parameter that is no such text is refused before the holder leaves', async (t) => {
  const { id } = await created({
    ...CLIENTS.client_secret_post,
    forwarded_request_parameters: ['login_hint', 'max_age'],
  })
  for (const parameters of [{ login_hint: 'a\r\nb' }, { login_hint: 'x'.repeat(2_001) }, { max_age: '-1' }])
    t.is((await refusalOf(begin(id, parameters))).code, 'authentication.invalid_parameter')
})

test('an authorization under way is encrypted in its row', async (t) => {
  const { id } = await created({ ...CLIENTS.client_secret_post })
  const url = new URL(await begin(id, {}, { email: 'secret@university.example' }))
  const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
    text: `select row_to_json(a)::text || encode(content, 'escape') as row from openid_authorizations a where provider_id = $1`,
    values: [id],
  })
  t.is(rows.length, 1)
  for (const name of ['state', 'nonce']) t.false(rows[0]?.row.includes(url.searchParams.get(name) ?? 'x'), name)
  t.false(rows[0]?.row.includes('secret@'))
})

test.serial(
  'tokens that the provider did not sign, or not for us, identify nobody (pitfalls, abuse case 21)',
  async (t) => {
    const { rogue, rogueIssuer: iss } = providers
    const { sign, jwk, privateKey } = await playProvider(providers)
    const { id } = await created({ url: iss, client_id: 'us', client_secret: 's' })
    const stranger = await generateKeyPair('ES256', { extractable: true })
    const seconds = () => Math.floor(Date.now() / 1000)
    const good = (nonce: string): JWTPayload => ({
      iss,
      aud: 'us',
      sub: 'eve',
      nonce,
      iat: seconds(),
      exp: seconds() + 60,
    })

    const outcome = async (token: (claims: JWTPayload) => Promise<string> | string, more: object = {}) => {
      const url = new URL(await begin(id))
      const nonce = url.searchParams.get('nonce') ?? ''
      rogue.set('/token', async () => ({
        access_token: 'a',
        token_type: 'bearer',
        id_token: await token(good(nonce)),
        ...more,
      }))
      const answer = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
      try {
        return (await finish(answer)).subjectId
      } catch (error) {
        if (error instanceof Refusal) return error.code
        throw error
      }
    }

    t.is(await outcome((claims) => sign(claims)), 'eve')
    const none = (claims: JWTPayload) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(stringify(claims)).toString('base64url')}.`
    const bad: Record<string, (claims: JWTPayload) => Promise<string> | string> = {
      'alg none': none,
      'HS256 with the public key': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'rogue' }).sign(Buffer.from(stringify(jwk))),
      'HS256 with the client secret': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from('s'.repeat(32))),
      'a key of a stranger': (claims) => sign(claims, {}, stranger.privateKey),
      'a key in the header': (claims) => sign(claims, { jwk: { kty: 'EC' }, kid: undefined }, stranger.privateKey),
      'an unknown kid': (claims) => sign(claims, { kid: 'other' }),
      'a crit header': (claims) => sign(claims, { crit: ['b64'], b64: true }, privateKey),
      'another issuer': (claims) => sign({ ...claims, iss: providers.issuer }),
      'another audience': (claims) => sign({ ...claims, aud: 'them' }),
      'several audiences without azp': (claims) => sign({ ...claims, aud: ['us', 'them'] }),
      'another nonce': (claims) => sign({ ...claims, nonce: 'x' }),
      'no nonce': ({ nonce: _nonce, ...claims }) => sign(claims),
      expired: (claims) => sign({ ...claims, exp: seconds() - 120 }),
      'of the future': (claims) => sign({ ...claims, iat: seconds() + 3_600, nbf: seconds() + 3_600 }),
      'no subject': ({ sub: _sub, ...claims }) => sign(claims),
      'a long subject': (claims) => sign({ ...claims, sub: 'x'.repeat(256) }),
      'no token': () => '',
      'a text': () => 'x.y.z',
    }
    for (const [name, token] of Object.entries(bad)) t.is(await outcome(token), 'authentication.invalid_answer', name)
    t.is(await outcome((claims) => sign(claims), { id_token: undefined }), 'authentication.invalid_answer')
    t.is(await outcome((claims) => sign({ ...claims, more: Array(501).fill(1) })), 'eve', 'lists are not searched')
    t.is(
      await outcome((claims) =>
        sign({ ...claims, more: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`c${at}`, 1])) }),
      ),
      'authentication.claims_too_large',
    )
    const { users } = await platform.users.listUsers(world.first.tenantId, { limit: 100, offset: 0 }, id)
    t.deepEqual(
      users.map(({ authenticationProvider }) => authenticationProvider.subjectId),
      ['eve'],
    )
  },
)

test.serial('an unknown kid does not make us read the key set again and again (pitfalls, abuse case 21)', async (t) => {
  const { rogue, rogueIssuer: iss, requests } = providers
  const { sign } = await playProvider(providers)
  const { id } = await created({ url: iss, client_id: 'us', client_secret: 's' })
  requests.length = 0
  for (let nth = 0; nth < 5; nth += 1) {
    const url = new URL(await begin(id))
    const nonce = url.searchParams.get('nonce') ?? ''
    const exp = Math.floor(Date.now() / 1000) + 60
    const claims = { iss, aud: 'us', sub: 'eve', nonce, iat: exp - 60, exp }
    rogue.set('/token', async () => ({
      access_token: 'a',
      token_type: 'bearer',
      id_token: await sign(claims, { kid: `k${nth}` }),
    }))
    const answer = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
    t.is((await refusalOf(finish(answer))).code, 'authentication.invalid_answer')
  }
  const paths = requests.map(({ path }) => path)
  t.is(paths.filter((path) => path === '/jwks').length, 1)
  t.is(paths.filter((path) => path.startsWith('/.well-known')).length, 1)
})

test.serial(
  'a provider that says no at the token endpoint, or is away, identifies nobody, and its words stay out',
  async (t) => {
    const { rogue, rogueIssuer: iss } = providers
    await playProvider(providers)
    const { id } = await created({ url: iss, client_id: 'us', client_secret: 's' })
    const attempt = async () => {
      const url = new URL(await begin(id))
      return finish(new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' }))
    }
    rogue.delete('/token')
    t.is((await refusalOf(attempt())).code, 'authentication.invalid_answer')
    rogue.set('/token', () => '{"error":"invalid_client","error_description":"secret s"}')
    const refusal = await refusalOf(attempt())
    t.is(refusal.code, 'authentication.invalid_answer')
    t.false(stringify([refusal.message, refusal.errors, String(refusal.cause)]).includes('secret s'))
    providers.dns.set('rogue.test', {})
    await t.throwsAsync(attempt(), { instanceOf: Unavailable })
    providers.dns.set('rogue.test', { A: ['127.0.0.1'] })
  },
)

test.serial(
  'an answer of the UserInfo endpoint about somebody else is refused (OpenID Connect Core 1.0, 5.3.2)',
  async (t) => {
    const { rogue, rogueIssuer: iss } = providers
    const { sign, metadata } = await playProvider(providers)
    metadata.userinfo_endpoint = `${iss}/me`
    const { id } = await created({ url: iss, client_id: 'us', client_secret: 's' })
    const attempt = async (userInfo: object) => {
      const url = new URL(await begin(id))
      const nonce = url.searchParams.get('nonce') ?? ''
      const exp = Math.floor(Date.now() / 1000) + 60
      const claims = { iss, aud: 'us', sub: 'eve', nonce, iat: exp - 60, exp, email: 'signed@x.test' }
      rogue.set('/token', async () => ({ access_token: 'a', token_type: 'bearer', id_token: await sign(claims) }))
      rogue.set('/me', () => userInfo)
      return finish(new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' }))
    }
    t.is((await refusalOf(attempt({ sub: 'ada' }))).code, 'authentication.invalid_answer')
    const { claims } = await attempt({ sub: 'eve', email: 'other@x.test', phone: '1', constructor: 'x', iss: 'y' })
    t.deepEqual(claims, { phone: '1', email: 'signed@x.test' })
  },
)
