import { randomUUID } from 'node:crypto'
import test from 'ava'
import { loggedAbout } from '../support/credentials/dids.ts'
import { BASIC_SECRET, openProviders, type Providers, playProvider } from '../support/openid/provider.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

const PATH = '/v1/users/authentication-providers'

let providers: Providers
let world: World
test.before(async () => {
  providers = await openProviders('https://issuer.test/v1/oauth/authentication/callback')
  world = await openWorld({ env: providers.env })
})
test.after.always(async () => {
  await world?.close()
  await providers?.close()
})

interface ProviderAnswer {
  id: string
  client_secret: string | null
  token_endpoint_auth_method: string
  client_jwks?: { keys: Record<string, string>[] }
  [member: string]: unknown
}

const BASIC = { client_id: 'basic', client_secret: BASIC_SECRET }

const create = (more: object = {}, token = world.token): Promise<Reply> =>
  world.ask(PATH, { token, body: { url: providers.issuer, ...BASIC, ...more } })
const created = async (more: object = {}, token = world.token): Promise<ProviderAnswer> => {
  const reply = await create(more, token)
  if (reply.status !== 200) throw new Error(`no provider: ${reply.text}`)
  return reply.json<ProviderAnswer>()
}
const update = (id: string, body: object, token = world.token) =>
  world.ask(`${PATH}/${id}`, { method: 'PUT', token, body })
const read = async (id: string) => (await world.ask(`${PATH}/${id}`, { token: world.token })).json<ProviderAnswer>()

const otherTenant = async () => world.tokenOf(await world.addTenant())

interface ProblemAnswer {
  type: string
  detail: string
  errors?: { path: string; code: string; message: string }[]
}
const problemOf = (reply: Reply) => reply.json<ProblemAnswer>()
const codeOf = (reply: Reply) => problemOf(reply).type.split('#')[1]

test('a provider is created with defaults and shown without its secret (specification, Authentication provider)', async (t) => {
  const token = await otherTenant()
  const reply = await create({}, token)
  t.is(reply.status, 200)
  const provider = reply.json<ProviderAnswer>()
  t.like(provider, {
    url: providers.issuer,
    client_id: 'basic',
    client_secret: '********',
    scope: ['openid', 'profile', 'email'],
    claims_to_persist: [],
    forwarded_request_parameters: [],
    static_request_parameters: {},
    token_endpoint_auth_method: 'client_secret_basic',
  })
  t.regex(String(provider.redirect_url), /^http:\/\/[^/]+\/v1\/oauth\/authentication\/callback$/)
  const list = await world.ask(`${PATH}?limit=1`, { token })
  t.like(list.json(), { limit: 1, total_count: 1, total_pages: 1 })
  t.deepEqual(list.json<{ data: ProviderAnswer[] }>().data, [provider])
  t.is((await loggedAbout(world, token, 'USER_AUTHENTICATION_PROVIDER_CREATE_SUCCESS', provider.id)).length, 1)
})

test('the secret is encrypted in its row, and in nothing that the API answers or logs', async (t) => {
  const { id } = await created()
  const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
    text: `select row_to_json(p)::text || encode(client_secret, 'escape') as row from authentication_providers p where id = $1`,
    values: [id],
  })
  t.false(rows[0]?.row.includes(BASIC_SECRET))
  const headers = { 'idempotency-key': randomUUID() }
  const body = { url: providers.issuer, ...BASIC }
  const [one, two] = [
    await world.ask(PATH, { token: world.token, body, headers }),
    await world.ask(PATH, { token: world.token, body, headers }),
  ]
  t.is(one.text, two.text, 'a repeated Idempotency-Key makes one provider')
  await update(id, { client_secret: `${BASIC_SECRET}2` })
  for (const reply of [one, await create({ scope: [] }), await create({ client_secret: `${BASIC_SECRET}\n` })])
    t.false(reply.text.includes(BASIC_SECRET.slice(0, 12)))
  const kept = await world.dependencies.systemSql.query<{ row: string }>({
    text: `select row_to_json(l)::text as row from logs l where category = 'user'
      union all select row_to_json(i)::text || coalesce(encode(i.answer, 'escape'), '') from idempotency_keys i`,
    values: [],
  })
  t.true(kept.rows.some(({ row }) => row.includes(id)))
  for (const { row } of kept.rows) t.false(row.includes(BASIC_SECRET.slice(0, 12)), row.slice(0, 200))
})

test('an update changes what it gives; the mask of an answer keeps the secret', async (t) => {
  const provider = await created({ claims_to_persist: ['email'], static_request_parameters: { ui: { Text: 'x' } } })
  const same = await update(provider.id, { ...provider, id: undefined, url: undefined, redirect_url: undefined })
  t.is(same.status, 200, same.text)
  t.deepEqual(same.json<ProviderAnswer>(), provider)
  const changed = await update(provider.id, { scope: ['openid'], claims_to_persist: null, client_secret: 'another' })
  t.like(changed.json(), { scope: ['openid'], claims_to_persist: ['email'], client_secret: '********' })
  t.is((await update(provider.id, { url: providers.issuer })).status, 400, 'the issuer stays')
  t.is((await update(randomUUID(), { scope: ['openid'] })).status, 404)
  t.is((await update(provider.id, { token_endpoint_auth_method: 'client_secret_jwt' })).status, 400)
})

test('each rule of a provider is named with its place', async (t) => {
  const cases: [body: object, path: string, code: string][] = [
    [{ url: null }, 'url', 'missing'],
    [{ url: 'no url' }, 'url', 'url'],
    [{ url: 'http://login.test' }, 'url', 'https'],
    [{ url: `${providers.issuer}?a=b` }, 'url', 'issuer'],
    [{ url: `${providers.issuer}/.well-known/openid-configuration` }, 'url', 'issuer'],
    [{ client_id: '' }, 'client_id', 'text'],
    [{ client_id: 'x'.repeat(256) }, 'client_id', 'text'],
    [{ client_secret: 'a\nb' }, 'client_secret', 'text'],
    [{ client_secret: '********' }, 'client_secret', 'mask'],
    [{ client_secret: null }, 'client_secret', 'missing'],
    [{ scope: [] }, 'scope', 'openid'],
    [{ scope: ['openid', 'a b'] }, 'scope.1', 'scope'],
    [{ scope: ['openid', 'openid'] }, 'scope.1', 'repeated'],
    [{ scope: Array.from({ length: 51 }, (_, at) => `s${at}`) }, 'scope', 'count'],
    [{ claims_to_persist: ['constructor'] }, 'claims_to_persist.0', 'claim'],
    [{ claims_to_persist: [''] }, 'claims_to_persist.0', 'claim'],
    [{ forwarded_request_parameters: ['state'] }, 'forwarded_request_parameters.0', 'own'],
    [{ forwarded_request_parameters: ['a&b'] }, 'forwarded_request_parameters.0', 'parameter'],
    [
      { static_request_parameters: { redirect_uri: 'https://x.test' } },
      'static_request_parameters.redirect_uri',
      'own',
    ],
    [{ static_request_parameters: { prompt: '' } }, 'static_request_parameters.prompt', 'text'],
    [{ static_request_parameters: { max_age: 'soon' } }, 'static_request_parameters.max_age', 'seconds'],
    [{ token_endpoint_auth_method: 'tls_client_auth' }, 'token_endpoint_auth_method', 'unknown'],
  ]
  for (const [body, path, code] of cases) {
    const reply = await create(body)
    t.is(reply.status, 400, JSON.stringify(body))
    t.is(codeOf(reply), 'authentication_provider.invalid', reply.text)
    t.like(problemOf(reply).errors?.[0], { path, code }, JSON.stringify(body))
  }
  for (const body of [{ id: 'x' }, { scope: 'openid' }, { client_id: 7 }, { static_request_parameters: { a: 1 } }])
    t.is((await create(body)).status, 400, JSON.stringify(body))
})

test.serial(
  'a wrong issuer is found at creation, with the reason (specification, Authentication provider)',
  async (t) => {
    const { rogueIssuer, rogue } = providers
    const nothing = await create({ url: 'https://absent.test' })
    t.is(codeOf(nothing), 'authentication_provider.unreachable')
    t.like(problemOf(nothing).errors?.[0], { path: 'url', code: 'not_called' })
    rogue.clear()
    t.is(codeOf(await create({ url: rogueIssuer })), 'authentication_provider.unsuitable', 'no metadata')
    const { metadata } = await playProvider(providers)
    t.is((await create({ url: rogueIssuer })).status, 200)
    const faults: [change: Record<string, unknown>, code: string][] = [
      [{ issuer: providers.issuer }, 'issuer'],
      [{ issuer: 7 }, 'metadata'],
      [{ jwks_uri: undefined }, 'metadata'],
      [{ token_endpoint: 'http://rogue.test/token' }, 'metadata'],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'metadata'],
      [{ userinfo_endpoint: 'ftp://rogue.test' }, 'metadata'],
      [{ response_types_supported: ['id_token'] }, 'response_type'],
      [{ grant_types_supported: ['implicit'] }, 'grant_type'],
      [{ code_challenge_methods_supported: ['plain'] }, 'pkce'],
      [{ token_endpoint_auth_methods_supported: ['tls_client_auth'] }, 'auth_method'],
    ]
    for (const [change, code] of faults) {
      rogue.set('/.well-known/openid-configuration', () => ({ ...metadata, ...change }))
      const reply = await create({ url: rogueIssuer })
      t.is(reply.status, 400, code)
      t.is(codeOf(reply), 'authentication_provider.unsuitable', reply.text)
      t.is(problemOf(reply).errors?.[0]?.code, code, JSON.stringify(change))
    }
    for (const location of [`${providers.issuer}/.well-known/openid-configuration`, 'https://169.254.169.254/']) {
      rogue.set('/.well-known/openid-configuration', () => new Response(null, { status: 302, headers: { location } }))
      const reply = await create({ url: rogueIssuer })
      t.is(codeOf(reply), 'authentication_provider.unreachable', reply.text)
      t.is(problemOf(reply).errors?.[0]?.code, 'redirected')
    }
    for (const text of ['<html>', '[]', '{"a":'.repeat(5_000), `{"issuer":"${'x'.repeat(300_000)}"}`]) {
      rogue.set('/.well-known/openid-configuration', () => text)
      const reply = await create({ url: rogueIssuer })
      t.is(reply.status, 400, text.slice(0, 20))
      t.regex(codeOf(reply) ?? '', /^authentication_provider\.(unsuitable|unreachable)$/)
    }
    rogue.set('/.well-known/openid-configuration', () => ({
      ...metadata,
      token_endpoint_auth_methods_supported: undefined,
    }))
    t.is((await create({ url: rogueIssuer })).json<ProviderAnswer>().token_endpoint_auth_method, 'client_secret_basic')
  },
)

test('private_key_jwt has a key of the key store, whose public half the provider shows', async (t) => {
  const provider = await created({ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' })
  t.is(provider.client_secret, null)
  const [jwk] = provider.client_jwks?.keys ?? []
  t.like(jwk, { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
  t.deepEqual(Object.keys(jwk ?? {}).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  const back = await update(provider.id, { token_endpoint_auth_method: 'client_secret_post' })
  t.is(problemOf(back).errors?.[0]?.code, 'missing', 'it has no secret')
  t.is(
    (await update(provider.id, { token_endpoint_auth_method: 'client_secret_post', client_secret: 'a' })).status,
    200,
  )
  t.false('client_jwks' in (await read(provider.id)))
  const again = await update(provider.id, { token_endpoint_auth_method: 'private_key_jwt' })
  t.deepEqual(again.json<ProviderAnswer>().client_jwks, provider.client_jwks, 'the key stays')
  const { rows } = await world.dependencies.systemSql.query<object>({
    text: 'select from keys where owner_id = $1',
    values: [provider.id],
  })
  t.is(rows.length, 1)
})

test('another tenant’s provider is as a missing one, and a tenant has 20 at most', async (t) => {
  const { id } = await created()
  const token = await otherTenant()
  t.is((await update(id, { scope: ['openid'] }, token)).status, 404)
  t.is((await world.ask(`${PATH}/${id}`, { token })).status, 404)
  const replies = await Promise.all(Array.from({ length: 22 }, () => create({}, token)))
  t.is(replies.filter(({ status }) => status === 200).length, 20)
  t.deepEqual(
    [...new Set(replies.filter(({ status }) => status !== 200).map(codeOf))],
    ['authentication_provider.too_many'],
  )
})

test('the paths of the platform that this API follows answer too', async (t) => {
  const reply = await world.ask('/core/v1/users/authenticationproviders?limit=0', { token: world.token })
  t.is(reply.status, 200)
})
