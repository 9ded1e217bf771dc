import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import type { Operations } from '../../../activities/frame/operations.ts'
import { disjoint } from '../../../protocol/disjoint.ts'
import { type ChangeId, OPERATIONS, type OperationId } from '../../../protocol/operations.ts'
import { isPublic, operations } from '../../support/frame/openapi.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The area whose folder holds the controller of an operation. */
const areas = new Map(
  globSync('api/*/**/*controller.ts', { cwd: root }).flatMap((path) => {
    const [, area = ''] = path.replaceAll('\\', '/').split('/')
    const text = readFileSync(`${root}/${path}`, 'utf8')
    return [...text.matchAll(/@OperationId\('(\w+)'\)/g)].map(([, id = '']) => [id, area] as const)
  }),
)

test('the facts of an operation stand in the area of its controller (design, Layout)', async (t) => {
  t.deepEqual([...areas.keys()].sort(), operations.map(({ operationId }) => operationId).sort())
  const misplaced: string[] = []
  const found: string[] = []
  for (const area of new Set(areas.values())) {
    const tables = Object.values((await import(`../../../protocol/${area}/operations.ts`)) as Record<string, object>)
    for (const id of tables.flatMap((table) => Object.keys(table))) {
      found.push(id)
      if (areas.get(id) !== area) misplaced.push(`${id} is not of ${area}`)
    }
  }
  t.deepEqual(misplaced, [])
  t.deepEqual(found.sort(), Object.keys(OPERATIONS).sort())
  const missing = operations.filter((each) => !isPublic(each) && !found.includes(each.operationId))
  t.deepEqual(missing, [])
})

test('two areas with the same operation do not load', (t) => {
  t.deepEqual(disjoint({ a: 1 }, { b: 2 }), { a: 1, b: 2 })
  t.throws(() => disjoint({ createDID: 1, a: 1 }, { b: 2 }, { createDID: 1 }), { message: /: createDID\.$/ })
})

test('an unknown operation does not compile, and one that changes nothing is no change', (t) => {
  const change = (_: Parameters<Operations['change']>[1]) => t.pass()
  change('createCredentialBatch')
  // @ts-expect-error: there is no such operation
  change('createCredentialBatches')
  // @ts-expect-error: it only reads
  change('getCredentialBatch')
  const id: OperationId = 'getCredentialBatch' satisfies Exclude<OperationId, ChangeId>
  t.false('changes' in OPERATIONS[id])
})
