import { randomUUID } from 'node:crypto'
import test from 'ava'
import { EXAMPLES, makeSample, type Sample } from './support/examples.ts'
import { openTarget, type Target } from './support/hostile.ts'
import { bodySchema, fill, isPublic, operations, parametersIn } from './support/openapi.ts'
import type { RawReply } from './support/raw.ts'

let target: Target
let theirs: Sample
test.before(async () => {
  target = await openTarget()
  theirs = await makeSample(target.world, await target.world.addTenant())
})
test.after.always(() => target?.close())

const VOLATILE = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy', 'content-length'])

/** All that an answer tells, but for what names the request itself. */
const told = ({ status, headers, text }: RawReply) => {
  const { instance, ...problem } = JSON.parse(text) as Record<string, unknown>
  const kept = Object.entries(headers).filter(([name]) => !VOLATILE.has(name))
  return { status, headers: Object.fromEntries(kept), problem, named: typeof instance }
}

const missing = (value: string): string => {
  if (value.startsWith('did:')) return 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  return randomUUID()
}

/** The VC API's paths name a proof type; what belongs to a tenant is in its bodies. */
for (const operation of operations.filter(
  (each) => parametersIn(each, 'path').length > 0 && !each.path.startsWith('/vc-api/'),
))
  test.serial(`${operation.operationId}: another tenant’s is as a missing one`, async (t) => {
    const ours = EXAMPLES[operation.operationId]?.path?.(target.sample)
    if (!ours) return t.fail('it has no example in test/support/examples.ts')
    const example = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
    const ask = (values: Record<string, string>) =>
      target.client.ask({
        method: operation.method,
        path: fill(operation.path, values),
        // a body may repeat the id of the path
        body: Object.entries(ours).reduce((text, [name, id]) => text?.replaceAll(id, values[name] ?? id), example),
        ...(isPublic(operation)
          ? { headers: { host: `nobody.${new URL(target.world.url).host}` } }
          : { token: theirs.token }),
      })
    const foreign = await ask(ours)
    t.is(foreign.status, 404, foreign.text)
    const none = Object.fromEntries(Object.entries(ours).map(([name, value]) => [name, missing(value)]))
    t.deepEqual(told(foreign), told(await ask(none)))
    for (const value of Object.values(ours)) t.false(foreign.text.includes(value))
  })

test.serial('after all of that, what the first tenant has is still there and unchanged', async (t) => {
  const { token, did, spareDid, credentialId } = target.sample
  for (const each of [did, spareDid]) t.is((await target.world.ask(`/v1/dids/${each}`, { token })).status, 200)
  const details = await target.world.ask(`/v1/credentials/web-semantic/${credentialId}`, { token })
  t.like(details.json(), { id: credentialId, is_revoked: false })
})

test.serial('lists hold the tenant’s own alone', async (t) => {
  const ours = JSON.stringify(target.sample.credential)
  const lists = operations.filter(
    (each) => parametersIn(each, 'query').includes('limit') && !bodySchema(each) && !each.path.includes('{'),
  )
  t.true(lists.length >= 2)
  for (const operation of lists) {
    const { status, text } = await target.client.ask({ path: `${operation.path}?limit=1000`, token: theirs.token })
    t.is(status, 200, `${operation.operationId} ${text}`)
    for (const secret of [target.sample.did, target.sample.credentialId, target.sample.listId, ours])
      t.false(text.includes(secret), operation.operationId)
  }
})

test.serial('log entries of another tenant are found by no filter', async (t) => {
  const requestId = randomUUID()
  const { token } = target.sample
  await target.world.ask('/v1/dids', { token, headers: { 'x-request-id': requestId } })
  const find = async (asker: string, more: object) => {
    const filter = {
      categories: [],
      types: [],
      ids: [],
      requestIds: [],
      dateFrom: '2020-01-01',
      dateTo: '2999-01-01',
      ...more,
    }
    const reply = await target.world.ask('/v1/analytics/events?limit=1000', { token: asker, body: filter })
    return reply.json<{ data: { id: string; requestId: string }[] }>().data
  }
  const [entry] = await find(token, { requestIds: [requestId] })
  t.is(entry?.requestId, requestId)
  t.deepEqual(await find(theirs.token, { requestIds: [requestId] }), [])
  t.deepEqual(await find(theirs.token, { ids: [entry?.id] }), [])
  const ids = new Set((await find(theirs.token, {})).map(({ id }) => id))
  for (const { id } of await find(token, {})) t.false(ids.has(id))
})

test.serial('another tenant’s DID issues nothing, and is refused like one that does not exist', async (t) => {
  const sign = async (did: string) => {
    const body = target.exampleBody({ operationId: 'signWebSemanticCredential' } as never) as { payload: object }
    const changed = { ...body, payload: { ...body.payload, issuer: { id: did } } }
    return target.client.ask({
      method: 'POST',
      path: '/v1/credentials/web-semantic/sign',
      token: theirs.token,
      body: JSON.stringify(changed),
    })
  }
  const foreign = await sign(target.sample.did)
  t.is(foreign.status, 400)
  t.deepEqual(told(foreign), told(await sign(missing('did:key:'))))
})

test.serial('a token counts for its own tenant, whatever host or header the request names', async (t) => {
  const host = new URL(target.world.url).host
  const named: Record<string, string>[] = [
    { host: `first.${host}` },
    { host: `evil.example` },
    { 'x-tenant-id': target.sample.client.tenantId },
    { 'x-forwarded-host': `first.${host}` },
  ]
  for (const headers of named) {
    const { text, status } = await target.client.ask({ path: '/v1/dids?limit=1000', token: theirs.token, headers })
    t.is(status, 200)
    t.true(text.includes(theirs.did))
    t.false(text.includes(target.sample.did))
  }
})
