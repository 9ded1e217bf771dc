import { randomUUID } from 'node:crypto'
import type { TestFn } from 'ava'
import type { RawReply } from '../parts/raw.ts'
import { EXAMPLES } from './examples/index.ts'
import { makeSample, type Sample } from './examples/sample.ts'
import type { Target } from './hostile.ts'
import { areaOfToken, bodySchema, fill, isPublic, operations, parametersIn } from './openapi.ts'
import { PLATFORM_PATHS } from './permissions.ts'

const VOLATILE = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy', 'content-length'])

/** All that an answer tells, but for what names the request itself. */
export const told = ({ status, headers, text }: RawReply) => {
  const { instance, ...problem } = JSON.parse(text) as Record<string, unknown>
  const kept = Object.entries(headers).filter(([name]) => !VOLATILE.has(name))
  return { status, headers: Object.fromEntries(kept), problem, named: typeof instance }
}

export const missing = (value: string): string => {
  if (value.startsWith('did:')) return 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  return randomUUID()
}

/** Two tenants of one platform: what the first one has, the second one asks for. */
export interface Tenants {
  target: Target
  theirs: Sample
}

export async function withSecondTenant(target: Target): Promise<Tenants> {
  const { world } = target
  const theirs = await makeSample(world, await world.addTenant())
  const settings = { fetchUnknownContexts: true, vcApi: true } // as the first tenant has them
  await world.ask('/v1/settings', { method: 'PUT', token: theirs.token, body: settings })
  return { target, theirs }
}

type BodyOf = (sample: Sample, id: (ours: string) => string) => object

const REVOCATIONS = '/v1/credentials/web-semantic/revocations'
const PRESENTATIONS = '/v1/credentials/web-semantic/presentations'

/** Operations that find something by an id in their body. */
const IN_BODIES: [operationId: string, path: string, bodyOf: BodyOf][] = [
  ...(['template', 'batch', 'issuer'] as const).map((by): [string, string, BodyOf] => [
    `createWebSemanticRevocation by ${by}`,
    REVOCATIONS,
    ({ templateId, batchId, idleDid }, id) => ({
      by,
      id: id({ template: templateId, batch: batchId, issuer: idleDid }[by]),
      is_revoked: true,
    }),
  ]),
  ['createErasure', '/v1/privacy/erasures', ({ credentialId }, id) => ({ credentialId: id(credentialId) })],
  [
    'createWebSemanticPresentationRequest',
    `${PRESENTATIONS}/requests`,
    ({ presentationTemplateId }, id) => ({ templateId: id(presentationTemplateId) }),
  ],
  [
    'verifyWebSemanticPresentationTemplate',
    `${PRESENTATIONS}/verify`,
    ({ presentation, presentationTemplateId }, id) => ({ presentation, templateId: id(presentationTemplateId) }),
  ],
  [
    'searchUsers',
    '/v1/users/search',
    ({ providerId }, id) => ({ authenticationProvider: { providerId: id(providerId) }, claims: {} }),
  ],
  [
    'createOidcVerifier',
    '/v1/oidc/verifiers',
    ({ verifierBody, presentationTemplateId }, id) => ({
      ...verifierBody,
      presentation_template_id: id(presentationTemplateId),
    }),
  ],
  [
    'vcApiUpdateStatus',
    '/vc-api/credentials/status',
    ({ credentialId }, id) => ({
      credentialId: `urn:uuid:${id(credentialId)}`,
      credentialStatus: [{ type: 'BitstringStatusListEntry', statusPurpose: 'revocation', status: '1' }],
    }),
  ],
]

interface Isolation {
  /** Ends the titles. */
  where?: string
  /** Operations for which it does not hold, by id. */
  except?: string[]
}

/** The tests that hold for every operation that reads by id, and for every list. */
export function testIsolation(test: TestFn, tenants: () => Tenants, { where = '', except = [] }: Isolation = {}): void {
  const owned = operations.filter(
    (each) => !PLATFORM_PATHS.test(each.path) && !['platform', 'accounts'].includes(areaOfToken(each) ?? ''),
  )
  // the VC API's paths name a proof type; what belongs to a tenant is in its bodies
  const byId = owned.filter((each) => parametersIn(each, 'path').length > 0 && !each.path.startsWith('/vc-api/'))
  for (const operation of byId.filter(({ operationId }) => !except.includes(operationId)))
    test.serial(`${operation.operationId}: another tenant’s is as a missing one${where}`, async (t) => {
      const { target, theirs } = tenants()
      const ours = EXAMPLES[operation.operationId]?.path?.(target.sample)
      if (!ours) return t.fail('it has no example in test/support/frame/examples')
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

  for (const [operationId, path, bodyOf] of IN_BODIES)
    test.serial(`${operationId}: an id of another tenant’s in a body is as a missing one${where}`, async (t) => {
      const { target, theirs } = tenants()
      const ask = (id: (ours: string) => string) => {
        const body = JSON.stringify(bodyOf(target.sample, id))
        return target.client.ask({ method: 'POST', path, body, token: theirs.token })
      }
      const foreign = await ask((ours) => ours)
      t.is(foreign.status, 404, foreign.text)
      t.deepEqual(told(foreign), told(await ask(missing)))
    })

  test.serial(`after all of that, what the first tenant has is still there and unchanged${where}`, async (t) => {
    const { target } = tenants()
    const { token, did, spareDid, credentialId } = target.sample
    for (const each of [did, spareDid]) t.is((await target.world.ask(`/v1/dids/${each}`, { token })).status, 200)
    const details = await target.world.ask(`/v1/credentials/web-semantic/${credentialId}`, { token })
    t.like(details.json(), { id: credentialId, is_revoked: false })
  })

  test.serial(`lists hold the tenant’s own alone${where}`, async (t) => {
    const { target, theirs } = tenants()
    const ours = JSON.stringify(target.sample.credential)
    const lists = owned.filter(
      (each) =>
        parametersIn(each, 'query').includes('limit') &&
        !bodySchema(each) &&
        !each.path.includes('{') &&
        !isPublic(each), // the host names the tenant
    )
    t.true(lists.length >= 2)
    for (const operation of lists) {
      const { status, text } = await target.client.ask({ path: `${operation.path}?limit=1000`, token: theirs.token })
      t.is(status, 200, `${operation.operationId} ${text}`)
      for (const secret of [target.sample.did, target.sample.credentialId, target.sample.listId, ours])
        t.false(text.includes(secret), operation.operationId)
    }
  })

  test.serial(`log entries of another tenant are found by no filter${where}`, async (t) => {
    const { target, theirs } = tenants()
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

  test.serial(`another tenant’s DID issues nothing, and is refused like one that does not exist${where}`, async (t) => {
    const { target, theirs } = tenants()
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
}
