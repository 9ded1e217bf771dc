import test from 'ava'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { operatorToken } from '../../support/ecosystems.ts'
import { operations } from '../../support/frame/openapi.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const ask = (path: string, body?: unknown, token = world.token) => world.ask(path, { token, body })

test('limit and page without a value are absent', async (t) => {
  const expected = (await ask('/v1/dids')).json<{ limit: number }>()
  for (const query of ['limit=', 'limit=null', 'limit=&page=', 'page=null', 'page=null&limit=null']) {
    const reply = await ask(`/v1/dids?${query}`)
    t.is(reply.status, 200, query)
    t.is(reply.json<{ limit: number }>().limit, expected.limit, query)
  }
  t.is((await ask('/v1/dids?limit=1&page=')).json<{ limit: number }>().limit, 1)
  for (const query of ['limit=x', 'limit=nul', 'limit=%20', 'page=1.5'])
    t.is((await ask(`/v1/dids?${query}`)).status, 400)
})

test('only the first ? begins the query: what follows a second one is read, too', async (t) => {
  t.is((await ask('/v1/dids?limit=1?')).status, 400, 'the limit is 1?')
  t.is((await ask('/v1/dids?method=a?b&limit=x')).status, 400)
  const tagged = await ask('/v1/credentials/web-semantic?tag=is-this-it?&limit=3')
  t.is(tagged.status, 200, tagged.text)
  t.is(tagged.json<{ limit: number }>().limit, 3)
})

test('a filter of a list without a value filters nothing, in every list (D-318)', async (t) => {
  const signed = await ask('/v1/credentials/web-semantic/sign', {
    payload: payload(did),
    proofType: 'eddsa-rdfc-2022',
    revocable: true,
    tag: 'lenient',
  })
  t.is(signed.status, 200, signed.text)
  const operator = await operatorToken(world)
  const filters = operations.flatMap(({ path, method, parameters = [], security = [] }) => {
    const isOfPlatform = JSON.stringify(security).includes('"platform:')
    const names = parameters.flatMap(({ in: where, name }) => (where === 'query' && name ? [name] : []))
    const isList = method === 'GET' && names.includes('limit') && !path.includes('{')
    return isList
      ? names
          .filter((name) => name !== 'limit' && name !== 'page')
          .map((name) => ({ path, name, token: isOfPlatform ? operator : world.token }))
      : []
  })
  t.true(filters.length > 15, 'the document says what the lists filter by')
  for (const { path, name, token } of filters) {
    const { status, text } = await ask(path, undefined, token)
    t.is(status, 200, path)
    for (const query of [`${name}=`, name, `limit=&${name}=`])
      t.like(await ask(`${path}?${query}`, undefined, token), { status, text }, `${path}?${query}`)
  }
  t.is((await ask('/v1/credentials/batches?limit=&Status=')).status, 400)
  t.is((await ask('/v1/credentials?tagg=')).status, 400, 'an unknown name is refused, with a value or without')
  t.is((await ask('/v1/credentials?tag=none')).json<{ total_count: number }>().total_count, 0)
})

test('a UUID may be in upper case, in a path and in a body (RFC 9562, section 4)', async (t) => {
  const signed = await ask('/v1/credentials/web-semantic/sign', {
    payload: payload(did),
    proofType: 'eddsa-rdfc-2022',
    revocable: true,
  })
  const { id } = signed.json<{ id: string }>()
  const read = await ask(`/v1/credentials/web-semantic/${id.toUpperCase()}`)
  t.is(read.status, 200, read.text)
  t.is(read.json<{ id: string }>().id, id)

  const template = await ask('/v1/credentials/web-semantic/presentations/templates', {
    domain: 'verifier.example',
    name: 'A template',
    query: [
      { type: 'QueryByExample', credentialQuery: [{ reason: 'A course', example: { type: 'CourseCredential' } }] },
    ],
  })
  const templateId = template.json<{ id: string }>().id
  const request = await ask('/v1/credentials/web-semantic/presentations/requests', {
    templateId: templateId.toUpperCase(),
  })
  t.is(request.status, 200, request.text)
  t.is(request.json<{ templateId: string }>().templateId, templateId)

  const logs = await ask('/v1/analytics/events', {
    categories: [],
    types: [],
    ids: [],
    requestIds: [signed.headers.get('x-request-id')?.toUpperCase()],
    dateFrom: '2020-01-01T00:00:00Z',
    dateTo: '2120-01-01T00:00:00Z',
  })
  t.is(logs.json<{ totalCount: number }>().totalCount, 1, logs.text)
  const revocation = await ask('/v1/credentials/web-semantic/revocations', {
    by: 'batch',
    id: templateId.toUpperCase(),
    is_revoked: true,
  })
  t.is(revocation.status, 404, revocation.text)
})

test('the root leads to the documentation', async (t) => {
  const reply = await world.ask('/')
  t.is(reply.status, 302)
  t.is(reply.headers.get('location'), '/docs')
})
