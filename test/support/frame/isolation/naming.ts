import type { ExecutionContext, TestFn } from 'ava'
import type { RawReply } from '../../parts/raw.ts'
import { EXAMPLES, exampleFault } from '../examples/index.ts'
import type { Sample } from '../examples/sample.ts'
import { bodySchema, fill, type Operation, operations, synthesize } from '../openapi.ts'
import { BODIES, type Entry, FILTERS, FURTHER, type Holding, missing } from './bodies.ts'
import { filtersBySchema, idsOf, membersByExample, membersBySchema, withMember } from './members.ts'
import { askAsTheirs, type Tenants, told } from './tenants.ts'

const bodyOf = (operation: Operation, sample: Sample): Record<string, unknown> =>
  EXAMPLES[operation.operationId]?.body?.(sample) ?? (synthesize(bodySchema(operation)) as Record<string, unknown>)

const pathOf = ({ operationId, path }: Operation, sample: Sample): string =>
  fill(path, EXAMPLES[operationId]?.path?.(sample) ?? {})

/** The entry of the member, or of one above it that covers it. */
const entryOf = (operationId: string, pointer: string): Entry | undefined =>
  BODIES[`${operationId} ${pointer}`] ??
  Object.entries(BODIES).find(
    ([key, entry]) => typeof entry === 'string' && `${operationId} ${pointer}`.startsWith(`${key}/`),
  )?.[1]

/** Three requests that differ in one id: of another tenant’s thing, of none, and of the asker’s own. */
async function check(
  t: ExecutionContext,
  operation: Operation,
  { target, theirs }: Tenants,
  { id, answers = 404, own }: Holding,
  ask: (id: string) => Promise<RawReply>,
): Promise<void> {
  const [foreignId, missingId] = [id(target.sample), missing(id(target.sample))]
  const foreign = await ask(foreignId)
  t.is(foreign.status, answers, foreign.text)
  // an answer may repeat the id that was asked for
  const without = (reply: RawReply, asked: string) => told({ ...reply, text: reply.text.replaceAll(asked, '<id>') })
  t.deepEqual(without(foreign, foreignId), without(await ask(missingId), missingId))
  const mine = await ask(id(theirs))
  if (own === undefined) t.is(exampleFault(operation.operationId, mine.status, mine.text), undefined)
  else t.is(mine.status, own, mine.text)
}

const operationOf = (operationId: string): Operation => {
  const operation = operations.find((each) => each.operationId === operationId)
  if (!operation) throw new Error(`${operationId} is no operation`)
  return operation
}

const holdings = (
  table: Readonly<Record<string, Entry>>,
): (readonly [operation: Operation, place: string, Holding])[] =>
  Object.entries(table).flatMap(([key, entry]) => {
    const [operationId = '', place = ''] = key.split(' ')
    return typeof entry === 'string' ? [] : [[operationOf(operationId), place, entry] as const]
  })

/** Tests for ids in bodies and in queries. */
export function testNaming(test: TestFn, tenants: () => Tenants, where: string, except: readonly string[]): void {
  test.serial(`each member of a body that holds an id is in the table, and nothing else${where}`, (t) => {
    const { sample } = tenants().target
    const ids = idsOf(sample)
    const found = operations.flatMap((operation) => {
      const example = operation.requestBody ? membersByExample(bodyOf(operation, sample), ids) : []
      const members = new Set([...membersBySchema(operation), ...example])
      return [...members].map((pointer) => [operation.operationId, pointer] as const)
    })
    t.true(found.length > 100)
    const missed = found.filter(([operationId, pointer]) => entryOf(operationId, pointer) === undefined)
    t.deepEqual(
      missed.map((place) => place.join(' ')),
      [],
    )
    const keys = found.map((place) => place.join(' '))
    const idle = Object.keys(BODIES).filter((key) => !keys.some((each) => each === key || each.startsWith(`${key}/`)))
    t.deepEqual(idle, [])
  })

  test.serial(`each query parameter that holds an id is in the table, and nothing else${where}`, (t) => {
    const found = operations.flatMap((each) => filtersBySchema(each).map((name) => `${each.operationId} ${name}`))
    t.deepEqual(found.toSorted(), Object.keys(FILTERS).toSorted())
  })

  const further = FURTHER.map(
    ([operationId, pointer, holding]) => [operationOf(operationId), pointer, holding] as const,
  )
  for (const [at, [operation, pointer, holding]] of [...holdings(BODIES), ...further].entries())
    if (!except.includes(`${operation.operationId} ${pointer}`))
      test.serial(
        `${operation.operationId} ${pointer} (${at}): another tenant’s id is as a missing one${where}`,
        (t) => {
          const { theirs } = tenants()
          const { rest = (body: object) => body } = holding
          const ask = (id: string) => {
            const body = rest(bodyOf(operation, theirs), theirs)
            return askAsTheirs(tenants(), operation, {
              path: pathOf(operation, theirs),
              body: JSON.stringify(withMember(body, pointer, id)),
            })
          }
          return check(t, operation, tenants(), holding, ask)
        },
      )

  for (const [operation, name, holding] of holdings(FILTERS))
    if (!except.includes(`${operation.operationId} ${name}`))
      test.serial(
        `${operation.operationId} ?${name}: another tenant’s id finds what a missing one does${where}`,
        (t) => {
          const { theirs } = tenants()
          const { query = () => ({}), row } = holding
          const upload = { body: JSON.stringify(row), headers: { 'content-type': 'application/x-ndjson' } }
          const ask = (id: string) => {
            const parameters = new URLSearchParams({ ...query(theirs), [name]: id })
            return askAsTheirs(tenants(), operation, {
              path: `${pathOf(operation, theirs)}?${parameters}`,
              ...(row && upload),
            })
          }
          return check(t, operation, tenants(), holding, ask)
        },
      )
}
