import { randomUUID } from 'node:crypto'
import type { TestFn } from 'ava'
import { EXAMPLES } from '../examples/index.ts'
import { areaOfToken, bodySchema, fill, isPublic, operations, parametersIn } from '../openapi.ts'
import { missing } from './bodies.ts'
import { idsOf } from './members.ts'
import { testNaming } from './naming.ts'
import { testParents } from './parents.ts'
import { differences, type Rows, rowsOf } from './rows.ts'
import { askAsTheirs, callerOf, owned, type Tenants, told } from './tenants.ts'

export { type Tenants, withSecondTenant } from './tenants.ts'

/** Content of the platform, for everybody, which each person accepts alone; and the one path that names no thing. */
const PUBLISHED = [
  'acceptLegalPolicy',
  'getBlogCategory',
  'getBlogPost',
  'getEcosystemIssuer',
  'getEcosystemPolicy',
  'getEcosystemVerifier',
  'getHelpArticle',
  'getLegalPolicy',
  'getLegalPolicyVersion',
  'listLegalPolicyAcceptances',
  'listLegalPolicyVersions',
  'vcApiIssueCredentialWithProofType',
]

interface Isolation {
  /** Ends the titles. */
  where?: string
  /** Operations for which it does not hold, by id. */
  except?: string[]
  /** Members and query parameters for which it does not hold, as the tables name them. */
  exceptMembers?: string[]
}

/** The tests that hold for every operation that reads by id, and for every list. */
export function testIsolation(
  test: TestFn,
  tenants: () => Tenants,
  { where = '', except = [], exceptMembers = [] }: Isolation = {},
): void {
  let before: Rows | undefined
  test.serial(`the first tenant has rows of most kinds${where}`, async (t) => {
    const { target } = tenants()
    before = await rowsOf(target, target.sample)
    const tables = [...before].flatMap(([table, rows]) => (rows.length > 0 ? [table] : []))
    t.true(tables.length > 45, tables.join())
  })

  // the VC API's paths name a proof type; what belongs to a tenant is in its bodies
  const byId = owned.filter((each) => parametersIn(each, 'path').length > 0 && !each.path.startsWith('/vc-api/'))
  for (const operation of byId.filter(({ operationId }) => !except.includes(operationId)))
    test.serial(`${operation.operationId}: another tenant’s is as a missing one${where}`, async (t) => {
      const { target } = tenants()
      const ours = EXAMPLES[operation.operationId]?.path?.(target.sample)
      if (!ours) return t.fail('it has no example in test/support/frame/examples')
      const example = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
      const ask = (values: Record<string, string>) =>
        askAsTheirs(tenants(), operation, {
          path: fill(operation.path, values),
          // a body may repeat the id of the path
          body: Object.entries(ours).reduce((text, [name, id]) => text?.replaceAll(id, values[name] ?? id), example),
        })
      const foreign = await ask(ours)
      t.is(foreign.status, 404, foreign.text)
      const none = Object.fromEntries(Object.entries(ours).map(([name, value]) => [name, missing(value)]))
      t.deepEqual(told(foreign), told(await ask(none)))
      const ids = Object.values(ours).filter((value) => !/^\d+$/.test(value)) // any text may have a version in it
      for (const id of ids) t.false(foreign.text.includes(id))
    })

  const tenantsNot = operations.filter((each) => callerOf(each) === 'operator' && parametersIn(each, 'path').length > 0)
  for (const operation of tenantsNot)
    test.serial(`${operation.operationId}: a tenant has no part in it, whatever is there${where}`, async (t) => {
      const { target, theirs } = tenants()
      const ours = EXAMPLES[operation.operationId]?.path?.(target.sample)
      if (!ours) return t.fail('it has no example in test/support/frame/examples')
      const body = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
      const ask = (values: Record<string, string>) =>
        askAsTheirs(tenants(), operation, { path: fill(operation.path, values), body, token: theirs.token })
      const reply = await ask(ours)
      t.is(reply.status, areaOfToken(operation) === 'platform' ? 403 : 404, reply.text)
      const none = Object.fromEntries(Object.entries(ours).map(([name, value]) => [name, missing(value)]))
      t.deepEqual(told(reply), told(await ask(none)))
    })

  test.serial(`each operation whose path names a thing is among these, but for what is published${where}`, (t) => {
    const tested = new Set([...byId, ...tenantsNot])
    const others = operations.filter((each) => parametersIn(each, 'path').length > 0 && !tested.has(each))
    t.deepEqual(others.map(({ operationId }) => operationId).sort(), PUBLISHED)
  })

  testNaming(test, tenants, where, exceptMembers)
  testParents(test, tenants, where)

  test.serial(`lists hold the tenant’s own alone${where}`, async (t) => {
    const { target, theirs } = tenants()
    const own = idsOf(theirs)
    const secrets = [...idsOf(target.sample)].filter((id) => !own.has(id))
    t.true(secrets.length > 50)
    const lists = owned.filter(
      (each) =>
        parametersIn(each, 'query').includes('limit') &&
        !bodySchema(each) &&
        !each.path.includes('{') &&
        !isPublic(each), // the host names the tenant
    )
    t.true(lists.length >= 25)
    for (const operation of lists) {
      const { status, text } = await askAsTheirs(tenants(), operation, { path: `${operation.path}?limit=1000` })
      t.is(status, 200, `${operation.operationId} ${text}`)
      for (const secret of secrets) t.false(text.includes(secret), `${operation.operationId} ${secret}`)
    }
  })

  test.serial(`log entries of another tenant are found by no filter${where}`, async (t) => {
    const { target, theirs } = tenants()
    const requestId = randomUUID()
    const { token } = target.sample
    await target.world.ask('/v1/dids', { token, headers: { 'x-request-id': requestId } })
    const every = { categories: [], types: [], ids: [], requestIds: [] }
    const filter = (more: object) => ({ ...every, dateFrom: '2020-01-01', dateTo: '2999-01-01', ...more })
    const find = async (asker: string, more: object) => {
      const body = filter(more)
      const reply = await target.world.ask('/v1/analytics/events?limit=1000', { token: asker, body })
      return reply.json<{ data: { id: string; requestId: string; metadata: string }[] }>().data
    }
    const exported = async (asker: string, more: object) =>
      (await target.world.ask('/v1/analytics/events/export', { token: asker, body: filter(more) })).text
    const [entry] = await find(token, { requestIds: [requestId] })
    t.is(entry?.requestId, requestId)
    for (const more of [{ requestIds: [requestId] }, { ids: [entry?.id] }]) {
      t.deepEqual(await find(theirs.token, more), [])
      t.not(await exported(token, more), '')
      t.is(await exported(theirs.token, more), '')
    }
    // what the second tenant asked of the first one's things is in its own log
    const objectIds = [target.sample.credentialId]
    const asked = await find(theirs.token, { objectIds })
    t.true(asked.length > 0)
    for (const { metadata } of asked) t.true(metadata.includes(theirs.client.clientId))
    t.false((await exported(theirs.token, { objectIds })).includes(target.sample.client.clientId))
    const ids = new Set((await find(theirs.token, {})).map(({ id }) => id))
    for (const { id } of await find(token, {})) t.false(ids.has(id))
  })

  test.serial(
    `after all of that, what the first tenant, its person and its operator have is as it was${where}`,
    async (t) => {
      const { target, theirs } = tenants()
      const after = await rowsOf(target, target.sample)
      t.deepEqual(differences(before ?? new Map(), after), [])
      // and none of it is known to have been asked for
      for (const table of ['logs', 'log_pending'])
        for (const row of after.get(table) ?? []) t.false(row.includes(theirs.client.clientId), row)
    },
  )
}
