import { randomUUID } from 'node:crypto'
import test from 'ava'
import { factsOf, OBJECT_PLACES } from '../../protocol/operations.ts'
import { isUuid } from '../../protocol/uuid.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { EXAMPLES } from '../support/frame/examples/index.ts'
import { openTarget, type Target } from '../support/frame/hostile.ts'
import { areaOfToken, bodySchema, isPublic, type Operation, operations } from '../support/frame/openapi.ts'
import { PEOPLE, PLATFORM_PATHS, WALLETS } from '../support/frame/permissions.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

interface Entry {
  id: string
  category: string
  type: string
  timestamp: string
  data: string
  metadata: string
  requestId: string
  objectIds: string[]
}

const everything = {
  categories: [] as string[],
  types: [] as string[],
  ids: [] as string[],
  requestIds: [] as string[],
  dateFrom: '2020-01-01T00:00:00Z',
  dateTo: '2999-01-01T00:00:00Z',
}

async function logs(filter: Partial<typeof everything> = {}, query = 'limit=1000', token = target.sample.token) {
  const reply = await target.world.ask(`/v1/analytics/events?${query}`, { token, body: { ...everything, ...filter } })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ data: Entry[]; limit: number; totalCount: number; totalPages: number }>()
}

const ofRequest = async (requestId: string): Promise<Entry[]> => (await logs({ requestIds: [requestId] })).data

/** With a JSON body or none; uploads have tests of their own. */
const plain = operations.filter((operation) => bodySchema(operation) || !operation.requestBody)
const logged = plain.filter(({ operationId }) => factsOf(operationId) && EXAMPLES[operationId])
const lists = plain.filter((each) => !isPublic(each) && each.method === 'GET' && !each.path.includes('{'))
const order = ({ method }: Operation) => (method === 'DELETE' ? 1 : 0)

for (const operation of [...new Set([...logged, ...lists])].sort((a, b) => order(a) - order(b)))
  test.serial(`${operation.operationId} leaves one entry with its request’s id and no personal data`, async (t) => {
    const { operationId } = operation
    const requestId = randomUUID()
    const body = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
    const reply = await target.attack(operation, { body, headers: { 'x-request-id': requestId } })
    // what is refused on purpose depends on what ran before: a cancelled batch may be revoked, a running one not
    t.true(reply.status < 300 || reply.status === EXAMPLES[operationId]?.answers, reply.text)
    const { alsoLogs = [] } = EXAMPLES[operationId] ?? {}
    const entries = await ofRequest(requestId)
    t.deepEqual(
      entries.map(({ type }) => type).filter((type) => alsoLogs.includes(type)),
      alsoLogs,
    )
    const [entry, ...more] = entries.filter(({ type }) => !alsoLogs.includes(type))
    t.deepEqual(more, [])
    t.is(entry?.type, `${factsOf(operationId)?.name}_${reply.status < 300 ? 'SUCCESS' : 'FAIL'}`)
    t.is(entry?.category, factsOf(operationId)?.category)
    t.true((entry?.objectIds.length ?? 0) <= OBJECT_PLACES, 'an object that no index finds')
    if (operation.path.includes('{id}')) t.true((entry?.objectIds.length ?? 0) > 0, 'the object of the path')
    const text = JSON.stringify(entry)
    for (const personal of ['did:example', 'CS-101', target.sample.client.clientSecret])
      t.false(text.includes(personal))
    const { clientId } = JSON.parse(entry?.metadata ?? '{}') as { clientId: string | null }
    const isOwn =
      !['platform', 'accounts'].includes(areaOfToken(operation) ?? '') && !PLATFORM_PATHS.test(operation.path)
    if (PEOPLE.includes(operationId)) t.true(clientId === null || clientId === 'platform' || isUuid(clientId))
    else if (isOwn) t.is(clientId, WALLETS.includes(operationId) ? null : target.sample.client.clientId)
    else t.truthy(clientId)
  })

for (const operation of operations.filter((each) => factsOf(each.operationId) && bodySchema(each) && !isPublic(each)))
  test.serial(`${operation.operationId} leaves a _FAIL entry that names the problem`, async (t) => {
    for (const [body, type] of [
      ['{"no', 'request.malformed_json'],
      ['{"zzz_unknown":1}', 'request.invalid'],
    ]) {
      const requestId = randomUUID()
      const reply = await target.attack(operation, { body, headers: { 'x-request-id': requestId } })
      t.is(reply.status, 400)
      const [entry, ...more] = await ofRequest(requestId)
      t.deepEqual(more, [])
      t.is(entry?.type, `${factsOf(operation.operationId)?.name}_FAIL`)
      t.deepEqual(JSON.parse(entry?.data ?? ''), { error: { type, status: 400 } })
    }
  })

test.serial('a failed token request is in the log of the client’s tenant; one of nobody’s is in none', async (t) => {
  const { clientId } = target.sample.client
  const [known, unknown] = [randomUUID(), randomUUID()]
  const ask = (requestId: string, id: string) =>
    target.world.ask('/v1/auth/token', {
      body: { clientId: id, clientSecret: 'wrong', grantType: 'client_credentials' },
      headers: { 'x-request-id': requestId },
    })
  t.is((await ask(known, clientId)).status, 401)
  t.is((await ask(unknown, randomUUID())).status, 401)
  const [entry] = await ofRequest(known)
  t.is(entry?.type, 'OAUTH_TOKEN_CREATE_FAIL')
  t.deepEqual(JSON.parse(entry?.data ?? ''), { error: { type: 'token.invalid_client', status: 401 } })
  t.deepEqual(await ofRequest(unknown), [])
})

test.serial(
  'whoever knows the id of a client adds one entry with a thousand wrong secrets, not a thousand',
  async (t) => {
    const { clientId, tenantId } = await target.world.addTenant()
    const foreign = await target.world.tokenOf(await target.world.addTenant())
    const wrong = (nth: number) =>
      target.world.ask('/v1/auth/token', {
        body: { clientId, clientSecret: `wrong ${nth}`, grantType: 'client_credentials' },
        ...(nth % 2 === 0 && { token: foreign }),
      })
    for (const reply of await Promise.all(Array.from({ length: 50 }, (_, nth) => wrong(nth)))) t.is(reply.status, 401)
    const { systemSql, logs: queue } = target.world.dependencies
    await queue.flush()
    const { rows } = await systemSql.query<{ type: string; client: string }>({
      text: `select type, metadata ->> 'clientId' as client from logs where tenant_id = $1`,
      values: [tenantId],
    })
    t.deepEqual(rows, [{ type: 'OAUTH_TOKEN_CREATE_FAIL', client: clientId }])
  },
)

test.serial('a request has an id that is a UUID, whatever text a caller sends for it', async (t) => {
  const sent = [
    "'; drop table logs; --",
    'x'.repeat(8_000),
    '<script>',
    `${randomUUID()}\u00e9`,
    `{${randomUUID()}}`,
    '',
  ]
  for (const text of sent) {
    const reply = await target.world.ask('/v1/dids', { token: target.sample.token, headers: { 'x-request-id': text } })
    const requestId = String(reply.headers.get('x-request-id'))
    t.regex(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, text)
    t.false(text.includes(requestId))
    t.is((await ofRequest(requestId)).length, 1)
  }
})

test.serial(
  'what a request names is the object of its refusal in the caller’s log, and in no other (D-427)',
  async (t) => {
    const owner = await target.world.addTenant()
    const token = await target.world.tokenOf(owner)
    const body = { events: ['OpenIdCredentialIssued'], url: 'https://receiver.example/hooks' }
    const { id } = (await target.world.ask('/v1/webhooks', { token, body })).json<{ id: string }>()
    const requestId = randomUUID()
    const headers = { 'x-request-id': requestId }
    const reply = await target.world.ask(`/v1/webhooks/${id}`, { token: target.sample.token, headers })
    t.is(reply.status, 404)
    t.like(await ofRequest(requestId), [{ type: 'WEBHOOK_RETRIEVE_FAIL', objectIds: [id] }])
    const of = async (objectIds: string[]) =>
      (await logs({ objectIds } as object, 'limit=100', token)).data.map(({ type }) => type)
    t.deepEqual(await of([id]), ['WEBHOOK_CREATE_SUCCESS'])
  },
)

test.serial('a replayed answer is no second entry', async (t) => {
  const headers = { 'idempotency-key': randomUUID(), 'x-request-id': randomUUID() }
  const body = { method: 'KEY', options: {} }
  for (let round = 0; round < 3; round++)
    t.is((await target.world.ask('/v1/dids', { token: target.sample.token, body, headers })).status, 201)
  t.is((await ofRequest(headers['x-request-id'])).length, 1)
})

test.serial('filters: categories or types, and all the rest; both ends of the time belong to it', async (t) => {
  const tenant = await target.world.addTenant()
  const token = await target.world.tokenOf(tenant)
  const did = await createDid(target.world, 'ed25519', token)
  await sign(target.world, did, { token })
  await target.world.ask('/v1/dids/did:key:none', { token })
  const all = await logs({}, 'limit=1000', token)
  const types = (found: { data: Entry[] }) => found.data.map(({ type }) => type).sort()
  const find = (filter: Partial<typeof everything>, query?: string) => logs(filter, query, token)
  t.deepEqual(types(await find({ categories: ['did'], types: ['DID_CREATE_SUCCESS'] })), [
    'DID_CREATE_SUCCESS',
    'DID_RETRIEVE_FAIL',
  ])
  t.deepEqual(types(await find({ types: ['DID_RETRIEVE_FAIL', 'NO_SUCH'] })), ['DID_RETRIEVE_FAIL'])
  t.deepEqual(types(await find({ categories: ['credential-web-semantic'], types: ['DID_RETRIEVE_FAIL'] })), [
    'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
    'DID_RETRIEVE_FAIL',
  ])
  const failed = all.data.find(({ type }) => type === 'DID_RETRIEVE_FAIL')
  t.truthy(failed)
  const { id = '', requestId = '', timestamp = '' } = failed ?? {}
  t.deepEqual((await find({ ids: [id] })).data, failed ? [failed] : [])
  t.deepEqual((await find({ ids: [id], categories: ['credential-web-semantic'] })).data, [])
  t.deepEqual((await find({ ids: [id], requestIds: [randomUUID()] })).data, [])
  t.deepEqual((await find({ ids: [id], requestIds: [requestId, randomUUID()] })).data.length, 1)
  t.is((await find({ ids: [id], dateFrom: timestamp, dateTo: timestamp })).data.length, 1, 'inclusive')
  const next = new Date(Date.parse(timestamp) + 1).toISOString()
  t.is((await find({ ids: [id], dateFrom: next })).data.length, 0)
  t.is((await find({ dateFrom: '2999-01-01T00:00:00Z', dateTo: '2020-01-01T00:00:00Z' })).totalCount, 0)
  for (const dateTo of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999999999Z'])
    t.deepEqual((await find({ ids: [id], dateTo })).data, failed ? [failed] : [], `the last moment: ${dateTo}`)
  const times = all.data.map((each) => each.timestamp)
  t.deepEqual(times, [...times].sort().reverse(), 'newest first')
  const page = await find({ dateTo: timestamp }, 'limit=2&page=2')
  t.is(page.limit, 2)
  t.is(page.totalPages, Math.ceil(page.totalCount / 2))
  for (const entry of all.data) {
    t.is(typeof entry.data, 'string')
    t.is(typeof entry.metadata, 'string')
    t.notThrows(() => [JSON.parse(entry.data), JSON.parse(entry.metadata)])
  }
})

test.serial('nobody changes the log: the application’s role may add and read', async (t) => {
  const { sql, systemSql } = target.world.dependencies
  for (const text of ['delete from logs', `update logs set type = 'x'`, 'truncate logs'])
    for (const role of [sql, systemSql])
      t.like(await t.throwsAsync(role.query({ text, values: [] })), { code: '42501' }, text)
})

test.serial('requests and the entries of signed credentials and of reads have ids in the order of time', async (t) => {
  const { world, sample } = target
  const did = await createDid(world, 'ed25519', sample.token)
  const before = Date.now()
  const { id } = await sign(world, did, { token: sample.token })
  const read = await world.ask(`/v1/credentials/web-semantic/${id}`, { token: sample.token })
  const [last] = await ofRequest(String(read.headers.get('x-request-id')))
  const { data } = await logs({ types: ['CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS'] })
  const signed = data.find(({ metadata }) => JSON.parse(metadata).id === id)
  for (const made of [last?.id, last?.requestId, signed?.id, signed?.requestId]) {
    t.is(made?.[14], '7', 'the version of RFC 9562, section 5.7 (D-1002)')
    const ms = Number.parseInt(String(made).replace('-', '').slice(0, 12), 16)
    t.true(ms >= before && ms <= Date.now(), `${made} was made now`)
  }
})
