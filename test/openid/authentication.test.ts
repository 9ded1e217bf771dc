import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { type Logins, openLogins, refusalOf } from '../support/openid/logins.ts'
import { accountOf, BASIC_SECRET, REFUSED } from '../support/openid/provider.ts'

let logins: Logins
test.before(async () => {
  logins = await openLogins()
})
test.after.always(() => logins?.close())

const { stringify } = JSON

const CLIENTS: Record<string, object> = {
  client_secret_basic: { client_id: 'basic', client_secret: BASIC_SECRET },
  client_secret_post: { client_id: 'post', client_secret: 'post-secret' },
  none: { client_id: 'none' },
}

for (const [method, client] of Object.entries(CLIENTS))
  test(`a holder is identified by a real provider, with ${method} (OpenID Connect Core 1.0, 3.1)`, async (t) => {
    const { providers, world, platform, created, begin, finish, logOf } = logins
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
  const { providers, created, update, begin, finish } = logins
  const method = 'private_key_jwt'
  const { id, client_jwks: jwks } = await created({ client_id: 'unknown', token_endpoint_auth_method: method })
  const client = await providers.register({
    jwks,
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: 'ES256',
  })
  const reply = await update(id, { client_id: client.client_id })
  t.is(reply.status, 200, reply.text)
  const { subjectId } = await finish(await providers.browse(await begin(id)))
  t.is(subjectId, 'ada')
})

test('a second login of one subject updates the user, of whom the claims of before are gone', async (t) => {
  const { providers, world, platform, created, update, begin, finish } = logins
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const first = await finish(await providers.browse(await begin(id)))
  await update(id, { claims_to_persist: ['given_name'] })
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
  const { providers, created, begin, finish } = logins
  const { id } = await created({ ...CLIENTS.client_secret_post, token_endpoint_auth_method: 'client_secret_post' })
  const answer = await providers.browse(await begin(id))
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => finish(answer)))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('what a browser may change in a callback is refused, and the state is used up', async (t) => {
  const { providers, created, begin, finish, logOf } = logins
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
  const { call, providers, world, platform, created, begin, finish } = logins
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
  const { providers, created, begin, finish } = logins
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
  const { created, begin } = logins
  const { id } = await created({
    ...CLIENTS.client_secret_post,
    forwarded_request_parameters: ['login_hint', 'max_age'],
  })
  for (const parameters of [{ login_hint: 'a\r\nb' }, { login_hint: 'x'.repeat(2_001) }, { max_age: '-1' }])
    t.is((await refusalOf(begin(id, parameters))).code, 'authentication.invalid_parameter')
})

test('an authorization under way is encrypted in its row', async (t) => {
  const { world, created, begin } = logins
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
