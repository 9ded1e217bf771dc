import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../entities/orm.ts'
import { maskSecret } from '../../protocol/claim-sources/authorization.ts'
import { parametersOf, queryOf } from '../../protocol/claim-sources/parameters.ts'
import { readClaimSourceUrl, readTokenEndpoint } from '../../protocol/claim-sources/urls.ts'
import { Refusal } from '../../protocol/errors.ts'
import {
  AUTHORIZATIONS,
  apiKey,
  CLAIM_SOURCES,
  type ClaimSourceAnswer,
  claimSource,
  claimSourcesOf,
  OAUTH,
  oauth,
  SECRET,
  URLS,
} from '../support/claim-sources.ts'
import { loggedAbout } from '../support/credentials/dids.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

// no Temporal and no worker: what one request can finish works without them
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const own = () => claimSourcesOf(world, world.token)

async function otherTenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { ...client, token, sources: claimSourcesOf(world, token) }
}

const refusalOf = (reply: Reply) => {
  const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type, errors?.[0]?.path, errors?.[0]?.code]
}

const MASK = '**********m1J7x'

test('a claim source is created with its defaults, read, found in the log and deleted (specification, Claim source)', async (t) => {
  const body = claimSource({ authorization: apiKey() })
  const reply = await own().create(body)
  t.is(reply.status, 201)
  const created = reply.json<ClaimSourceAnswer>()
  t.is(reply.headers.get('location'), `${CLAIM_SOURCES}/${created.id}`)
  const authorization = { ApiKey: { type: 'api-key', value: MASK, header: 'x-api-key' } }
  t.deepEqual(created, {
    ...body,
    id: created.id,
    org_id: world.first.tenantId,
    request_method: 'GET',
    authorization,
  })
  t.deepEqual((await own().read(created.id)).json<ClaimSourceAnswer>(), created)
  t.is((await loggedAbout(world, world.token, 'CLAIM_SOURCE_CREATE_SUCCESS', created.id)).length, 1)
  t.is((await own().remove(created.id)).status, 204)
  for (const gone of [
    await own().read(created.id),
    await own().remove(created.id),
    await own().update(created.id, body),
  ])
    t.like(gone.json(), { status: 404, type: '/problems#claim_source.not_found' })
  t.is((await loggedAbout(world, world.token, 'CLAIM_SOURCE_DELETE_SUCCESS', created.id)).length, 1)
})

test('a list has pages, newest first, with the totals (specification, Endpoints)', async (t) => {
  const { sources } = await otherTenant()
  const made: string[] = []
  for (const more of [{}, { authorization: oauth() }, { authorization: null, request_method: null }])
    made.unshift((await sources.created(claimSource(more))).id)
  const page = await sources.list('?limit=2&page=1')
  t.like(page, { limit: 2, total_count: 3, total_pages: 2 })
  const all = [...page.data, ...(await sources.list('?limit=2&page=2')).data]
  t.deepEqual(
    all.map(({ id }) => id),
    made,
  )
  t.false('authorization' in (all[0] ?? {}))
  t.like(all[1]?.authorization?.OAuthClientCredentials, {
    client_secret: MASK,
    token_endpoint_auth_method: 'client_secret_basic',
  })
})

test('no response, log entry or row has a secret in the clear', async (t) => {
  const { sources, tenantId, token } = await otherTenant()
  const { id, url, request_parameters } = await sources.created(claimSource({ authorization: apiKey() }))
  const other = `another-${SECRET}`
  const changed = await sources.update(id, { name: 'N', url, request_parameters, authorization: apiKey(other) })
  const entries = await world.ask('/v1/analytics/events?limit=1000', {
    token,
    body: {
      categories: ['claim-source'],
      types: [],
      ids: [],
      requestIds: [],
      dateFrom: '2020-01-01T00:00:00Z',
      dateTo: '2999-01-01T00:00:00Z',
    },
  })
  const { rows } = await world.dependencies.systemSql.query<{ text: string }>({
    text: `select r::text || encode(secret, 'escape') as text from claim_sources r where tenant_id = $1`,
    values: [tenantId],
  })
  t.is(rows.length, 1)
  const texts = [changed.text, (await sources.read(id)).text, JSON.stringify(await sources.list()), entries.text]
  for (const text of [...texts, ...rows.map(({ text }) => text)]) t.false(text.includes(SECRET.slice(0, 20)))
  t.true(entries.text.includes('CLAIM_SOURCE_UPDATE_SUCCESS'))
})

test('an update replaces what it names; a secret that is not sent stays for its servers, and for no other (D-437)', async (t) => {
  const sources = own()
  const { id, url, ...created } = await sources.created(
    claimSource({ request_method: 'POST', authorization: apiKey(), request_parameters: { a: { default_value: 1 } } }),
  )
  const body = { name: 'Changed', url, request_parameters: { b: { map_from: 'claims.b', default_value: [true] } } }
  const kept = (await sources.update(id, body)).json<ClaimSourceAnswer>()
  t.deepEqual(kept, { ...created, ...body, id })
  t.deepEqual((await sources.update(id, kept)).json<ClaimSourceAnswer>(), kept, 'what was read may be sent again')
  t.is((await sources.update(id, { ...body, url: `${url}/deeper` })).status, 200, 'another path of the same server')

  const elsewhere = { ...body, url: 'https://elsewhere.example/claims' }
  const required = [400, '/problems#claim_source.invalid_authorization', 'authorization.ApiKey.value', 'required']
  for (const stolen of [
    elsewhere,
    { ...elsewhere, authorization: apiKey(MASK) },
    { ...body, authorization: apiKey(MASK, { header: 'x-other' }) },
  ])
    t.deepEqual(refusalOf(await sources.update(id, stolen)), required)
  const masked = [400, required[1], required[2], 'masked']
  t.deepEqual(refusalOf(await sources.update(id, { ...body, authorization: apiKey('**********wrong') })), masked)
  t.deepEqual(refusalOf(await sources.create(claimSource({ authorization: apiKey(MASK) }))), masked)
  t.is((await sources.update(id, { ...elsewhere, authorization: apiKey('short') })).status, 200)
  t.is((await sources.read(id)).json<ClaimSourceAnswer>().authorization?.ApiKey?.value, '**********')

  t.is((await sources.update(id, { ...body, authorization: oauth() })).status, 200)
  const token_endpoint = 'https://elsewhere.example/token'
  const moved = await sources.update(id, { ...body, authorization: oauth({ client_secret: MASK, token_endpoint }) })
  t.is(refusalOf(moved)[3], 'required')
  const scoped = await sources.update(id, { ...body, authorization: oauth({ client_secret: MASK, scope: 'a b' }) })
  t.like(scoped.json<ClaimSourceAnswer>().authorization?.OAuthClientCredentials, { client_secret: MASK, scope: 'a b' })
  t.false('authorization' in (await sources.update(id, { ...body, authorization: null })).json())
  t.is((await sources.update(id, elsewhere)).status, 200)
  for (const ids of [{ id: randomUUID() }, { org_id: randomUUID() }])
    t.is(refusalOf(await sources.update(id, { ...body, ...ids }))[1], '/problems#claim_source.id_differs')
  t.is((await sources.update(id, { ...body, request_method: 'DELETE' })).status, 400)
})

test('a URL that breaks a rule is refused with an error of its own, when created and when updated (specification, Limits)', async (t) => {
  const { id } = await own().created()
  for (const [url, rule] of URLS) {
    const expected = [400, '/problems#claim_source.invalid_url', 'url', rule]
    t.deepEqual(refusalOf(await own().create(claimSource({ url }))), expected, url)
    if (rule === 'query') t.deepEqual(refusalOf(await own().update(id, claimSource({ url }))), expected, url)
  }
})

test('port and fragment are dropped, and Unicode is ASCII (specification, Limits)', async (t) => {
  const url = 'https://MÜNCHEN.example:8443/Straße#part?no=query'
  t.is((await own().created(claimSource({ url }))).url, 'https://xn--mnchen-3ya.example/Stra%C3%9Fe')
  t.is((await own().created(claimSource({ url: 'https://a.example:22' }))).url, 'https://a.example/')
  t.is(readClaimSourceUrl('http://localhost:8080/a#b', { allowPrivate: true }), 'http://localhost:8080/a')
  t.is(readTokenEndpoint('https://login.example:8443/token?p=policy'), 'https://login.example:8443/token?p=policy')
  t.throws(() => readTokenEndpoint('https://login.example/token#x'), { instanceOf: Refusal, message: /fragment/ })
})

test('an authorization that would inject a header, or is none of the two, is refused without its secret', async (t) => {
  for (const [authorization, path, rule] of AUTHORIZATIONS) {
    const reply = await own().create(claimSource({ authorization }))
    t.deepEqual(refusalOf(reply), [400, '/problems#claim_source.invalid_authorization', path, rule], path)
    t.notRegex(reply.text, /x-admin|schl|a-secret-of/)
  }
  for (const [token_endpoint, rule] of [
    ['http://login.example/token', 'https'],
    ['https://10.0.0.1/token', 'address'],
    ['https://login.example/token#a', 'fragment'],
    ['https://login.example:22/token', 'port'],
    ['https://login.internal/token', 'not_public'],
  ] as const) {
    const reply = await own().create(claimSource({ authorization: oauth({ token_endpoint }) }))
    t.deepEqual(refusalOf(reply), [400, '/problems#claim_source.invalid_url', `${OAUTH}.token_endpoint`, rule])
  }
  const header = { ApiKey: { value: 'Key with spaces', header: 'Authorization' } }
  const created = await own().created(claimSource({ authorization: header }))
  t.deepEqual(created.authorization, { ApiKey: { type: 'api-key', value: '**********', header: 'authorization' } })
  t.is(maskSecret('x'.repeat(15)), '**********')
})

test('a parameter has map_from, default_value or both (specification, Claim source)', async (t) => {
  for (const [parameters, path, rule] of [
    [{ a: {} }, 'request_parameters.a', 'parameter'],
    [{ a: { default_value: null } }, 'request_parameters.a', 'parameter'],
    [{ a: { map_from: null } }, 'request_parameters.a', 'parameter'],
    [{ a: { map_from: 'claims..b' } }, 'request_parameters.a.map_from', 'path'],
    [{ a: { map_from: 'claims.constructor.name' } }, 'request_parameters.a.map_from', 'path'],
    [{ a: { map_from: 'a'.repeat(513) } }, 'request_parameters.a.map_from', 'path'],
    [{ a: { default_value: 'a'.repeat(4_096) } }, 'request_parameters.a.default_value', 'length'],
    [{ 'a b': { default_value: 1 } }, 'request_parameters["a b"]', 'name'],
    [{ constructor: { default_value: 1 } }, 'request_parameters.constructor', 'name'],
    [
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`p${at}`, { default_value: at }])),
      'request_parameters',
      'too_many',
    ],
  ] as const)
    t.deepEqual(refusalOf(await own().create(claimSource({ request_parameters: parameters }))), [
      400,
      '/problems#claim_source.invalid_parameters',
      path,
      rule,
    ])
  for (const request_parameters of [
    undefined,
    null,
    [],
    'a',
    { a: 'claims.a' },
    { a: { map_from: 1 } },
    { a: { x: 1 } },
  ])
    t.is((await own().create(claimSource({ request_parameters }))).status, 400, JSON.stringify(request_parameters))
  for (const name of ['', ' ', 'a\u202eb', 'a\nb', 'x'.repeat(256)])
    t.is(refusalOf(await own().create(claimSource({ name })))[1], '/problems#claim_source.invalid_name')
})

test('a parameter takes its path, else its default; without both it is left out', (t) => {
  const roots = {
    claims: { sub: 'ada', nested: { list: [1, 'é'] }, nothing: null },
    authenticationProvider: { subjectId: 'auth0|7' },
    credentialConfiguration: { type: 'Course' },
  }
  const parameters = parametersOf(
    {
      sub: { map_from: 'claims.sub', default_value: 'nobody' },
      list: { map_from: 'claims.nested.list' },
      fallback: { map_from: 'claims.nothing', default_value: false },
      left_out: { map_from: 'claims.none' },
      fixed: { default_value: 'a&b=c' },
      subject: { map_from: 'authenticationProvider.subjectId' },
      type: { map_from: 'credentialConfiguration.type' },
    },
    roots,
  )
  t.deepEqual(parameters, {
    ...{ sub: 'ada', list: [1, 'é'], fallback: false, fixed: 'a&b=c' },
    ...{ subject: 'auth0|7', type: 'Course' },
  })
  const query = 'sub=ada&list=%5B1%2C%22%C3%A9%22%5D&fallback=false&fixed=a%26b%3Dc&subject=auth0%7C7&type=Course'
  t.is(queryOf(parameters), query)
})

test('a claim source of another tenant is as good as none, and a tenant can have 100', async (t) => {
  const { tenantId, sources, token } = await otherTenant()
  const { id } = await own().created()
  for (const reply of [await sources.read(id), await sources.update(id, claimSource()), await sources.remove(id)])
    t.like(reply.json(), { status: 404, type: '/problems#claim_source.not_found' })
  t.is((await sources.list()).total_count, 0)
  await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(
      `insert into claim_sources (id, tenant_id, name, url)
       select gen_random_uuid(), ?, 'a', 'https://a.example' from generate_series(1, 98)`,
      [tenantId],
    ),
  )
  const headers = { 'idempotency-key': randomUUID() }
  const once = () => world.ask(CLAIM_SOURCES, { token, body: repeated, headers })
  const repeated = claimSource({ authorization: apiKey() })
  t.deepEqual((await once()).json(), (await once()).json())
  const both = await Promise.all([sources.create(claimSource()), sources.create(claimSource())])
  t.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409])
  t.like((await sources.create(claimSource())).json(), { status: 409, type: '/problems#claim_source.too_many' })
})
