import test from 'ava'
import { compactVerify, importJWK } from 'jose'
import type { OutboundRequest } from '../../activities/frame/outbound/index.ts'
import { readStatusEntry } from '../../protocol/status-list/entry.ts'
import { createDid, type Signed, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
const posted: OutboundRequest[] = []
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
  // the worker is in this process and sends through this object: what leaves is seen, and still leaves
  const { outbound } = world.dependencies
  const fetchOut = outbound.fetch
  outbound.fetch = (request) => {
    if (request.method === 'POST') posted.push(request)
    return fetchOut(request)
  }
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const AREA = '/v1/credentials/web-semantic'

const notify = (id: string, body: unknown = {}, token = world.token) =>
  world.ask(`${AREA}/${id}/revocation-status/notification`, { token, body })

interface Sent {
  status: string
  created_at: string
  ended_at: string
}

const sentOf = async (id: string, query = '') =>
  (await world.ask(`${AREA}/${id}/revocation-status/notification${query}`, { token: world.token })).json<{
    data: Sent[]
    total_count: number
  }>()

/** A holder elsewhere; the document says where it takes messages, or does not. */
function holderAt(path: string, serviceEndpoint?: unknown): string {
  const did = `did:web:elsewhere.test%3A${names.port}:${path}`
  const service =
    serviceEndpoint === undefined ? {} : { service: [{ id: `${did}#m`, type: 'DIDCommMessaging', serviceEndpoint }] }
  names.elsewhere.set(`/${path}/did.json`, JSON.stringify({ id: did, ...service }))
  return did
}

const about = (issuer: string, ...holders: string[]): Promise<Signed> =>
  sign(world, issuer, {
    revocable: true,
    more: { credentialSubject: holders.map((id) => ({ id, course: 'CS-101' })) },
  })

interface Logged {
  type: string
  metadata: string
}

const outcomeOf = (requestId: string | null) =>
  until('the outcome', async () => {
    const body = {
      categories: ['credential-web-semantic'],
      types: [],
      ids: [],
      requestIds: [requestId],
      dateFrom: '2020-01-01T00:00:00Z',
      dateTo: '2999-01-01T00:00:00Z',
    }
    const { data } = (await world.ask('/v1/analytics/events', { token: world.token, body })).json<{ data: Logged[] }>()
    const sent = data.find(({ type }) => type.startsWith('CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_SEND_'))
    return sent && { type: sent.type.split('_').at(-1), ...(JSON.parse(sent.metadata) as Record<string, unknown>) }
  })

test.serial('a holder whose DID takes messages gets one, signed by the issuer, about the status alone', async (t) => {
  const issuer = await createDid(world)
  names.elsewhere.set('/inbox', '{}')
  const inbox = `https://elsewhere.test:${names.port}/inbox`
  const holder = holderAt('holder', [{ uri: inbox, accept: ['didcomm/v2'] }])
  const { id, credential } = await about(issuer, holder)
  await world.ask(`${AREA}/${id}/revocation-status`, { token: world.token, body: { is_revoked: true } })
  const reply = await notify(id)
  t.is(reply.status, 200)
  t.deepEqual(reply.json(), {})
  t.like(await outcomeOf(reply.headers.get('x-request-id')), { type: 'SUCCESS', id, outcome: 'SENT' })
  const [told] = (await sentOf(id)).data
  t.like(told, { to: holder, from: issuer, status: 'SENT', request_id: reply.headers.get('x-request-id') })
  t.true(Date.parse(told?.ended_at ?? '') >= Date.parse(told?.created_at ?? ''))
  const [request] = posted.filter(({ url }) => url === inbox)
  t.is(request?.headers?.['content-type'], 'application/jose')
  const didKey = (
    await world.dependencies.systemSql.query<{ public_key: Buffer }>({
      text: 'select public_key from keys k join dids d on d.id = k.did_id where d.did = $1',
      values: [issuer],
    })
  ).rows[0]
  const key = await importJWK(
    { kty: 'OKP', crv: 'Ed25519', x: didKey?.public_key.toString('base64url') ?? '' },
    'EdDSA',
  )
  const { payload, protectedHeader } = await compactVerify(String(request?.body), key)
  t.true(String(protectedHeader.kid).startsWith(`${issuer}#`))
  const { id: messageId, created_time, type, ...message } = JSON.parse(new TextDecoder().decode(payload))
  t.regex(messageId, /^[0-9a-f-]{36}$/)
  t.true(Math.abs(Date.now() - created_time) < 60_000)
  t.is(typeof type, 'string')
  const { listUrl, index } = readStatusEntry(credential.credentialStatus)
  const body = { revocationListCredential: listUrl, revocationListIndex: index, isRevoked: true }
  t.deepEqual(message, { from: issuer, to: [holder], body }, 'ids and a status: no claim, no other subject')
})

test.serial('a holder without a place for messages gets none, which is recorded', async (t) => {
  const issuer = await createDid(world)
  for (const holder of [await createDid(world), holderAt('silent'), holderAt('plain', 'http://elsewhere.test/inbox')]) {
    const { id } = await about(issuer, holder)
    const reply = await notify(id, { to: [holder] })
    t.is(reply.status, 200)
    t.like(await outcomeOf(reply.headers.get('x-request-id')), { type: 'SUCCESS', outcome: 'NO_SERVICE' }, holder)
    const repeats = await Promise.all([1, 2, 3].map(() => notify(id, { to: [holder] })))
    t.deepEqual(repeats.map(({ text }) => text).toSorted(), ['{}', '{}', '{}'])
    const { total_count: total } = await sentOf(id)
    t.true(total >= 2, 'a repeat makes another one (docs/status-lists.md)')
  }
})

test.serial(
  'a place that refuses the message, or is not on the public internet, is recorded as a failure',
  async (t) => {
    const issuer = await createDid(world)
    for (const [path, inbox, reason] of [
      ['refusing', `https://elsewhere.test:${names.port}/nowhere`, 'answered 404'],
      ['inside', 'https://10.0.0.1/inbox', 'outbound.blocked'],
    ] as const) {
      const { id } = await about(issuer, holderAt(path, inbox))
      const reply = await notify(id)
      t.like(await outcomeOf(reply.headers.get('x-request-id')), { type: 'FAIL', outcome: 'FAILED' }, path)
      const { data, total_count: total } = await sentOf(id, '?limit=1')
      t.is(total, 1)
      t.like(data[0], { status: 'FAILED', reason })
      t.is((await notify(id)).status, 200)
      t.is((await sentOf(id)).total_count, 1, 'a repeat makes none: it was refused')
    }
  },
)

test.serial(
  'only subjects are told, only by a DID of the tenant, only of its own credentials with a status',
  async (t) => {
    const issuer = await createDid(world)
    const { id } = await about(issuer, 'did:example:holder')
    const code = async (body: unknown, of = id, token = world.token) =>
      String((await notify(of, body, token)).json().type).replace('/problems#', '')
    t.is(await code({ to: ['did:example:somebody'] }), 'request.invalid')
    t.is(await code({ from: 'did:example:somebody' }), 'request.invalid')
    t.is(await code({}, (await sign(world, issuer)).id), 'credential.not_revocable')
    t.is(await code({}, id, await world.tokenOf(await world.addTenant())), 'credential.not_found')
    t.is(await code({ from: await createDid(world, 'bls12381g2') }), 'request.invalid', 'it signs no messages')
    t.is((await notify(id, { from: await createDid(world, 'p256') })).status, 200)
  },
)
