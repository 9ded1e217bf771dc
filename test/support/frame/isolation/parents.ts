import type { TestFn } from 'ava'
import { EXAMPLES } from '../examples/index.ts'
import { bodySchema, fill, type Operation, operations, parametersIn, synthesize } from '../openapi.ts'
import { missing } from './bodies.ts'
import { askAsTheirs, callerOf, type Tenants, told } from './tenants.ts'

type Values = Record<string, string>

/** What is in a parent without being its own: operators bind any tenant, and versions are numbers of their own. */
const NO_CHILD = ['bindEcosystemTenant', 'getLegalPolicyVersion', 'getSdJwtTypeMetadata']

const nested = operations.filter(
  (each) => parametersIn(each, 'path').length > 1 && !NO_CHILD.includes(each.operationId),
)

/** Every mixture of two things' ids in which both have a part. */
function mixtures(own: Values, foreign: Values): { values: Values; foreignNames: string[] }[] {
  const names = Object.keys(own)
  return Array.from({ length: 2 ** names.length - 2 }, (_, at) => {
    const foreignNames = names.filter((_, bit) => ((at + 1) >> bit) & 1)
    const picked = Object.fromEntries(foreignNames.map((name) => [name, foreign[name] ?? '']))
    return { values: { ...own, ...picked }, foreignNames }
  })
}

/** A child is found in its own parent alone, whoever has the parent. */
export function testParents(test: TestFn, tenants: () => Tenants, where: string): void {
  test(`each operation with a parent is tested${where}`, (t) => {
    const ids = nested.map(({ operationId }) => operationId)
    t.true(ids.length >= 14, ids.join())
  })

  for (const operation of nested)
    test.serial(`${operation.operationId}: a child is in no other’s parent${where}`, async (t) => {
      const { target, theirs } = tenants()
      const example = EXAMPLES[operation.operationId]
      const [own, foreign] = [example?.path?.(theirs), example?.path?.(target.sample)]
      if (!own || !foreign) return t.fail('it has no example in test/support/frame/examples')
      const body = bodyFor(operation, tenants())
      const ask = (values: Values) => askAsTheirs(tenants(), operation, { path: fill(operation.path, values), body })
      for (const { values, foreignNames } of mixtures(own, foreign)) {
        const reply = await ask(values)
        t.is(reply.status, 404, `${foreignNames}: ${reply.text}`)
        if (callerOf(operation) === 'operator') continue // who sees the foreign parent, but no such child in it
        const none = Object.fromEntries(foreignNames.map((name) => [name, missing(values[name] ?? '')]))
        t.deepEqual(told(reply), told(await ask({ ...values, ...none })), foreignNames.join())
      }
    })
}

const bodyFor = (operation: Operation, { theirs }: Tenants): string | undefined => {
  const schema = bodySchema(operation)
  return schema && JSON.stringify(EXAMPLES[operation.operationId]?.body?.(theirs) ?? synthesize(schema))
}
