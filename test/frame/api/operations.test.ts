import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import type { Operations } from '../../../activities/frame/operations.ts'
import { DOCUMENTS, gaps, thingIn } from '../../../api/frame/openapi/areas.ts'
import type { GeneratedOpenApi } from '../../../api/frame/openapi/generated.ts'
import { derivedReplies } from '../../../api/frame/openapi/replies.ts'
import { disjoint } from '../../../protocol/disjoint.ts'
import { type ChangeId, OPERATIONS, type OperationId } from '../../../protocol/operations.ts'
import { document, isPublic, operations } from '../../support/frame/openapi.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Of the decorators alone. */
const generated = JSON.parse(readFileSync(`${root}/build/openapi.json`, 'utf8')) as GeneratedOpenApi

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
    // a part of an area may have a table of its own, which that of the area may hold
    for (const path of globSync(`protocol/${area}/**/operations.ts`, { cwd: root })) {
      const tables = Object.values((await import(`../../../${path}`)) as Record<string, object>)
      for (const id of tables.flatMap((table) => Object.keys(table))) {
        if (!found.includes(id)) found.push(id)
        if (areas.get(id) !== area) misplaced.push(`${id} is not of ${area}`)
      }
    }
  }
  t.deepEqual(misplaced, [])
  t.deepEqual(found.sort(), Object.keys(OPERATIONS).sort())
  const missing = operations.filter((each) => !isPublic(each) && !found.includes(each.operationId))
  t.deepEqual(missing, [])
})

test('the document of an area speaks of operations of the area alone', (t) => {
  const documented = new Set<string | undefined>()
  for (const { examples, answers = {}, forms = [], located = [], uploads = {}, downloads = {} } of DOCUMENTS) {
    const ids = [...forms, ...located, ...[examples, answers, uploads, downloads].flatMap((part) => Object.keys(part))]
    const [area, ...others] = new Set(ids.map((id) => areas.get(id)))
    t.deepEqual(others, [], ids.join())
    documented.add(area)
  }
  t.deepEqual([...documented].sort(), [...new Set(areas.values())].sort())
})

const planted = (operationId: string, path: string, rest: object = {}): GeneratedOpenApi => ({
  paths: { ...document.paths, [path]: { post: { operationId, responses: {}, ...rest } } },
})

test('a fact that an operation lacks is named, and so is one without an operation', (t) => {
  t.deepEqual(gaps(document), [])
  const secured = { security: [{ bearerAuth: ['dids:write'] }] }
  t.deepEqual(gaps(planted('sign', '/v1/planted', secured)), ['sign has no name in the log'])
  const { '/v1/dids': list } = document.paths
  const reading = {
    ...list,
    post: { operationId: 'createDID', responses: {}, security: [{ bearerAuth: ['dids:read'] }] },
  }
  t.deepEqual(gaps({ paths: { ...document.paths, '/v1/dids': reading } }), [
    'createDID requires the scope dids:read in its controller and dids:write in its facts',
  ])
  t.deepEqual(gaps(planted('sign', '/v1/planted', { requestBody: { content: {} } })), ['sign has no example'])
  t.deepEqual(gaps(planted('sign', '/v1/planted/{id}/sign')), ['/v1/planted/{id} has no problem code for its 404'])
  const { '/v1/dids/{id}': _, ...paths } = document.paths
  t.deepEqual(gaps({ paths }), [
    'deleteDID is not in the document',
    'resolveDID is not in the document',
    '/v1/dids/{id} is not in the document',
  ])
})

test('refusals of a form, a token, an id and a limit follow from the operation, and no controller repeats them', (t) => {
  const statuses = (path: string, asked: object, isKeyed = false) => Object.keys(derivedReplies(path, asked, isKeyed))
  t.deepEqual(statuses('/v1/planted', {}), ['429'])
  t.deepEqual(statuses('/v1/planted', { parameters: [{}] }), ['400', '429'])
  t.deepEqual(statuses('/v1/planted', { requestBody: {} }), ['400', '429'])
  t.deepEqual(statuses('/v1/planted', { security: [{}] }), ['400', '401', '403', '429'])
  t.deepEqual(statuses('/v1/planted', {}, true), ['409', '422', '429'])
  t.deepEqual(statuses('/v1/dids/{id}/keys', { security: [{}] }), ['400', '401', '403', '404', '429'])
  for (const { path, responses, ...operation } of operations) {
    // what is said of a header of caches is read or ignored, and refuses nothing
    const parameters = operation.parameters?.filter((each) => each.in !== 'header' && !each.$ref?.includes('/If')) ?? []
    const derived = statuses(path, { ...operation, parameters })
    t.deepEqual(
      derived.filter((status) => !responses[status]),
      [],
      operation.operationId,
    )
    t.is(derived.includes('404'), thingIn(path) !== undefined)
  }
  const repeated = Object.entries(generated.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ operationId, responses, ...asked }) =>
      Object.entries(derivedReplies(path, asked, false))
        .filter(([status, reply]) => reply && responses[status]?.description === reply.description)
        .map(([status]) => `${operationId}: ${status}`),
    ),
  )
  t.deepEqual(repeated, [])
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
