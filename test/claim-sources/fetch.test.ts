import { randomUUID } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import type { ClaimsOutcome, ClaimsSubject } from '../../protocol/claim-sources/outcome.ts'
import { apiKey, claimSource, claimSourcesOf, SECRET } from '../support/claim-sources.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { type Behaviour, createReceiver, FAULTS } from '../support/receiver.ts'
import { connected } from '../support/stack/backup.ts'

const HOST = 'claims.acme.test'
const CLAIMS = { given_name: 'Ada', courses: [{ code: 'CS-101', points: 7.5 }] }

const answer =
  (text: string | Buffer, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (_nth, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)

/** Behaviours in their order; the last one stays. */
const inTurn =
  (...behaviours: Behaviour[]): Behaviour =>
  (nth, response) =>
    behaviours[Math.min(nth, behaviours.length - 1)]?.(nth, response)

const receiver = createReceiver()
let apiPort = 0
let beside: WorldBeside
let activities: ReturnType<typeof createActivities>
test.before(async () => {
  beside = await openWorldBeside(
    HOST,
    (incoming, outgoing) => {
      if (!incoming.url?.startsWith('/v1/')) return receiver.listener(incoming, outgoing)
      // the platform's own token endpoint and key set, behind TLS
      const { method, url: path, headers } = incoming
      tokenCalls += path === '/v1/auth/token' ? 1 : 0
      const onward = requestHttp({ host: 'localhost', port: apiPort, method, path, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      })
      incoming.pipe(onward)
    },
    {
      env: {
        CLAIM_SOURCE_ALLOW_PRIVATE: 'true',
        CLAIM_SOURCE_TIMEOUT_MS: '600',
        CLAIM_SOURCE_PATIENCE_MS: '2500',
        CLAIM_SOURCE_RETRY_SECONDS: '0.02,0.05',
      },
    },
  )
  apiPort = beside.world.config.port
  activities = createActivities(beside.world.dependencies)
})
test.after.always(() => beside?.close())

let tokenCalls = 0
const own = () => claimSourcesOf(beside.world, beside.world.token)

const source = (path: string, more: object = {}) => own().created(claimSource({ url: beside.urlOf(path), ...more }))

const fetchFrom = (claimSourceId: string, more: Partial<ClaimsSubject> = {}): Promise<ClaimsOutcome> =>
  activities.fetchClaims({
    tenantId: beside.world.first.tenantId,
    claimSourceId,
    requestId: randomUUID(),
    clientId: beside.world.first.clientId,
    claims: { sub: 'ada lovelace', level: 3 },
    authenticationProvider: { subjectId: 'auth0|7' },
    ...more,
  })

const fetched = (attempts = 1): ClaimsOutcome => ({ state: 'fetched', attempts, claims: CLAIMS })

const PARAMETERS = {
  sub: { map_from: 'claims.sub' },
  provider: { map_from: 'authenticationProvider.subjectId' },
  absent: { map_from: 'claims.absent' },
  level: { map_from: 'claims.level', default_value: 1 },
  kind: { default_value: 'student' },
}

test('GET sends the parameters as a query, POST as a JSON body; each with the key (specification, Claim source)', async (t) => {
  receiver.script('/get?sub=ada+lovelace&provider=auth0%7C7&level=3&kind=student', answer(JSON.stringify(CLAIMS)))
  receiver.script('/post', answer(JSON.stringify(CLAIMS), { 'content-type': 'application/vnd.registry+json' }, 201))
  const common = { request_parameters: PARAMETERS, authorization: apiKey() }
  const [get, post] = [
    await source('get#dropped', common),
    await source('post', {
      ...common,
      request_method: 'POST',
      authorization: apiKey(`Key ${SECRET}`, { header: 'Authorization' }),
    }),
  ]
  t.deepEqual(await fetchFrom(get.id), fetched())
  t.deepEqual(await fetchFrom(post.id), fetched())
  const [asked] = receiver.received.filter(({ path }) => path.startsWith('/get'))
  t.like(asked, { method: 'GET', headers: { 'x-api-key': SECRET, accept: 'application/json' } })
  t.is(asked?.body.length, 0)
  const [posted] = receiver.at('/post')
  t.like(posted, { method: 'POST', headers: { authorization: `Key ${SECRET}`, 'content-type': 'application/json' } })
  t.deepEqual(JSON.parse(String(posted?.body)), {
    ...{ sub: 'ada lovelace', provider: 'auth0|7', level: 3, kind: 'student' },
  })
})

test('each call asks the source again: an answer is never kept', async (t) => {
  receiver.script('/changes', (nth, response) => answer(JSON.stringify({ nth }))(nth, response))
  const { id } = await source('changes', { request_method: 'POST' })
  for (const nth of [0, 1, 2]) t.deepEqual(await fetchFrom(id), { state: 'fetched', attempts: 1, claims: { nth } })
})

/** Whether a bearer is an access token of the platform, as its API says. */
const checksToken =
  (isRevoked: (nth: number) => boolean = () => false): Behaviour =>
  (nth, response) => {
    const bearer = receiver.at(response.req.url ?? '').at(-1)?.headers.authorization ?? ''
    const asking = beside.world.ask('/v1/dids', { headers: { authorization: bearer } })
    void asking.then(({ status }) => answer(JSON.stringify(CLAIMS), {}, isRevoked(nth) ? 401 : status)(nth, response))
  }

const tokenClient = (more: object = {}) => ({
  OAuthClientCredentials: {
    client_id: beside.world.first.clientId,
    client_secret: beside.world.first.clientSecret,
    token_endpoint: beside.urlOf('v1/auth/token'),
    scope: 'dids:read',
    ...more,
  },
})

for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_post'])
  test.serial(
    `an access token by client credentials, with ${token_endpoint_auth_method}, is used until it ends`,
    async (t) => {
      const path = `/${token_endpoint_auth_method}`
      receiver.script(
        path,
        checksToken((nth) => nth === 2),
      )
      const authorization = tokenClient({ token_endpoint_auth_method, audience: 'https://claims.acme.test' })
      const { id } = await source(path.slice(1), { request_method: 'POST', authorization })
      const before = tokenCalls
      t.deepEqual(await fetchFrom(id), fetched())
      t.deepEqual(await fetchFrom(id), fetched())
      t.is(tokenCalls - before, 1)
      t.deepEqual(await fetchFrom(id), fetched(), 'a refused token is replaced at once')
      t.is(tokenCalls - before, 2)
      t.is(receiver.at(path).length, 4)
      t.is(new Set(receiver.at(path).map(({ headers }) => headers.authorization)).size, 2)
    },
  )

test.serial('a token endpoint that gives no token is the named part, without its text', async (t) => {
  const wrong = await source('unused', { authorization: tokenClient({ client_secret: 'wrong' }) })
  t.like(await fetchFrom(wrong.id), {
    state: 'failed',
    attempts: 1,
    failure: { code: 'answer', part: 'token_endpoint', responseCode: 401, mayPass: false },
  })
  const texts: [string, Behaviour, code: string, reason: RegExp][] = [
    [
      't1',
      answer('{"error":"invalid_client","error_description":"secret is hunter2"}', {}, 400),
      'answer',
      /^answered 400 \(invalid_client\)$/,
    ],
    ['t2', answer('{"access_token":"a\\r\\nx: 1","token_type":"Bearer"}'), 'no_token', /no access_token/],
    ['t3', answer('{"access_token":"a","token_type":"mac"}'), 'no_token', /not Bearer/],
    ['t4', answer('[]'), 'no_token', /no access_token/],
    ['t5', answer('x', { location: 'https://127.0.0.1/' }, 302), 'outbound.redirected', /redirect/],
    ['t6', answer(`"${'a'.repeat(70_000)}"`), 'outbound.too_large', /too large/],
  ]
  for (const [path, behaviour, code, reason] of texts) {
    receiver.script(`/${path}`, behaviour)
    const authorization = tokenClient({ token_endpoint: beside.urlOf(path) })
    const outcome = await fetchFrom((await source('unused', { authorization })).id)
    t.like(outcome, { state: 'failed', failure: { code, part: 'token_endpoint' } }, path)
    t.regex(outcome.state === 'failed' ? outcome.failure.reason : '', reason)
  }
  t.is(receiver.at('/unused?sub=ada+lovelace').length, 0)
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

const BAD: [path: string, behaviour: Behaviour, code: string, responseCode?: number][] = [
  ['b1', answer('<html>', { 'content-type': 'text/html' }), 'not_json', 200],
  ['b2', answer('{"a":'), 'not_json', 200],
  ['b3', answer('[1]'), 'not_object', 200],
  ['b4', answer('null'), 'not_object', 200],
  ['b5', answer(deep(5_000)), 'not_json', 200],
  ['b6', answer('{"a":"x\\u0000"}'), 'not_json', 200],
  ['b7', answer('{"a":1,"a":2}'), 'not_json', 200],
  ['b8', answer('{"__proto__":{"admin":true}}'), 'not_json', 200],
  ['b9', answer(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 'not_json', 200],
  ['b10', answer(JSON.stringify({ a: 'x'.repeat(300_000) })), 'outbound.too_large'],
  ['b11', answer('{}', { location: `https://${HOST}/ok` }, 302), 'outbound.redirected'],
  ['b12', answer('{}', { location: 'http://169.254.169.254/' }, 307), 'outbound.redirected'],
  ['b13', answer('x', { 'content-encoding': 'gzip' }), 'outbound.bad_answer'],
  ['b14', answer('{}', {}, 403), 'answer', 403],
  ['b15', answer('', { 'content-type': 'text/plain' }, 404), 'answer', 404],
]

test('what no later call would change is a failure at once, named for the operator and not for the wallet', async (t) => {
  const failed: { claimSourceId: string; code: string }[] = []
  for (const [path, behaviour, code, responseCode] of BAD) {
    receiver.script(`/${path}`, behaviour)
    const { id } = await source(path, { request_method: 'POST' })
    const outcome = await fetchFrom(id)
    const expected = { code, part: 'claim_source', mayPass: false, ...(responseCode && { responseCode }) } as const
    t.like(outcome, { state: 'failed', attempts: 1, failure: expected }, path)
    t.is(receiver.at(`/${path}`).length, 1, path)
    const said = outcome.state === 'failed' ? outcome.forWallet : ''
    t.is(said, 'The issuer cannot read the claims of the credential. Contact the issuer.')
    t.notRegex(JSON.stringify(outcome), /ada|lovelace|acme/)
    failed.push({ claimSourceId: id, code })
  }
  const body = { categories: [], types: ['OPENID_CLAIM_SOURCE_RETRIEVE_FAIL'], ids: [], requestIds: [] }
  const times = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
  const { token } = beside.world
  const log = await beside.world.ask('/v1/analytics/events?limit=1000', { token, body: { ...body, ...times } })
  const entries = log
    .json<{ data: { metadata: string }[] }>()
    .data.map(({ metadata }) => JSON.parse(metadata) as object)
  for (const entry of failed)
    t.true(entries.some((each) => isDeepStrictEqual({ ...each, ...entry, attempts: 1 }, each)))
  t.notRegex(log.text, /lovelace/)
})

test('a fault that may pass is tried again while the wallet waits, and no longer', async (t) => {
  const good = answer(JSON.stringify(CLAIMS))
  receiver.script('/passes', inTurn(answer('', {}, 503), FAULTS.reset, good))
  receiver.script('/busy', answer('', {}, 429))
  receiver.script('/drips', FAULTS.drips)
  receiver.script('/slow', inTurn(FAULTS.silent, good))
  const named = async (path: string, more: Partial<ClaimsSubject> = {}) =>
    fetchFrom((await source(path, { request_method: 'POST' })).id, more)
  const patient = (code: string, attempts: number) => ({
    state: 'failed' as const,
    attempts,
    failure: { code, part: 'claim_source' as const, mayPass: true },
    forWallet: 'The issuer cannot read the claims of the credential at the moment. Try again later.',
  })
  t.deepEqual(await named('passes'), fetched(3))
  t.deepEqual(await named('slow'), fetched(2))
  t.like(await named('busy'), patient('answer', 3))
  const began = performance.now()
  const until = new Date(Date.now() + 300).toISOString()
  t.like(await named('drips', { until }), patient('timeout', 1))
  t.true(performance.now() - began < 5_000)
  t.like(await fetchFrom((await source('nobody', { url: 'https://nobody.acme.test/' })).id), patient('not_called', 3))
})

test('a source of another tenant, or one that is gone, is a named failure, and is not called', async (t) => {
  const { id } = await source('foreign', { request_method: 'POST' })
  const { tenantId, clientId } = await beside.world.addTenant()
  const failure = { state: 'failed' as const, attempts: 0, failure: { code: 'not_found', mayPass: false } }
  t.like(await fetchFrom(id, { tenantId, clientId }), failure)
  t.is((await own().remove(id)).status, 204)
  t.like(await fetchFrom(id), failure)
  t.is(receiver.at('/foreign').length, 0)
})

test('a request with claims that are too long is not sent', async (t) => {
  const parameters = { request_parameters: { sub: { map_from: 'claims.sub' } } }
  const [get, post] = [
    await source('long', parameters),
    await source('long', { ...parameters, request_method: 'POST' }),
  ]
  for (const [id, length] of [
    [get.id, 3_000],
    [post.id, 70_000],
  ] as const)
    t.like(await fetchFrom(id, { claims: { sub: 'é'.repeat(length) } }), {
      failure: { code: 'too_long', mayPass: false },
    })
  t.is(receiver.received.filter(({ path }) => path.startsWith('/long')).length, 0)
})

test('a URL that was changed in the row does not get the secret, until it is sent again', async (t) => {
  const { id, ...rest } = await source('mine', { request_method: 'POST', authorization: apiKey() })
  const thief = beside.urlOf('thief').replace(HOST, 'thief.acme.test')
  const statement = { text: 'update claim_sources set url = $2 where id = $1', values: [id, thief] }
  await connected(beside.world.superuserUrl, (client) => client.query(statement))
  t.like(await fetchFrom(id), { state: 'failed', attempts: 0, failure: { code: 'secret_unusable', mayPass: false } })
  const body = { ...rest, id, authorization: apiKey('**********') }
  t.like((await own().read(id)).json(), { url: thief, authorization: body.authorization })
  t.is((await own().update(id, body)).status, 400)
  receiver.script('/mine', answer(JSON.stringify(CLAIMS)))
  t.is((await own().update(id, { ...body, authorization: apiKey() })).status, 200)
  t.deepEqual(await fetchFrom(id), fetched())
})
