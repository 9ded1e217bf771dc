import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import test from 'ava'
import { ISSUER, ISSUER_KEY } from '../../api/frame/openapi/examples.ts'
import type { Collection } from '../../stack/collection/postman.ts'
import { runnerOf } from '../support/client/collection.ts'
import { isPublic, operations } from '../support/frame/openapi.ts'
import { openWorld, type World } from '../support/world.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FILE = join(root, 'client', 'countersign.postman_collection.json')
const run = promisify(execFile)

let world: World
let collection: Collection
test.before(async () => {
  rmSync(FILE, { force: true })
  const { stdout } = await run(process.execPath, ['--import=tsx', 'stack/collection/command.ts'], { cwd: root })
  if (!stdout.endsWith(`The collection is ${FILE}\n`)) throw new Error(stdout)
  collection = JSON.parse(readFileSync(FILE, 'utf8')) as Collection
  world = await openWorld()
})
test.after.always(() => world?.close())

const requests = () => collection.item.flatMap(({ name, item }) => item.map((each) => ({ folder: name, ...each })))

test('the collection has every operation once, in the folder of its area, with its method, path and token', (t) => {
  t.deepEqual(
    requests()
      .map(({ id }) => id)
      .sort(),
    operations.map(({ operationId }) => operationId).sort(),
  )
  for (const { folder, id, name, request } of requests()) {
    const operation = operations.find(({ operationId }) => operationId === id)
    if (!operation) return t.fail(id)
    t.is(name, operation.summary ?? '', id)
    t.is(folder, String(Reflect.get(operation, 'tags')), id)
    t.is(request.method, operation.method, id)
    t.is(`/${request.url.path.join('/')}`, operation.path.replace(/\{(\w+)\}/g, ':$1'), id)
    t.is(request.auth?.type === 'noauth', isPublic(operation), id)
    t.is(request.body === undefined, operation.requestBody === undefined, id)
    const named = request.url.path.filter((part) => part.startsWith(':')).map((part) => part.slice(1))
    t.deepEqual(request.url.variable?.map(({ key }) => key) ?? [], named, id)
  }
  t.deepEqual(new Set(collection.item.map(({ name }) => name)).size, collection.item.length)
})

test('bodies are the document’s examples, in which the issuer is a variable', (t) => {
  const names = new Set(collection.variable.map(({ key }) => key))
  const unknown = (text: string) =>
    [...text.matchAll(/\{\{([^} ]*)\}\}/g)].flatMap(([, name = '']) =>
      names.has(name) || name === '$guid' ? [] : [name],
    )
  t.deepEqual(unknown(JSON.stringify(collection.item)), [])
  const body = (id: string) => requests().find((each) => each.id === id)?.request.body?.raw ?? ''
  t.is(JSON.parse(body('signWebSemanticCredential')).payload.issuer.id, '{{did}}')
  t.is(JSON.parse(body('signCredential')).didUrl, '{{key}}')
  t.is(
    JSON.parse(body('vcApiVerifyCredential')).verifiableCredential.issuer.id,
    issuerOf('vcApiVerifyCredential'),
    'signed',
  )
  const ownVariables = ['getOAuthAccessToken', 'signCredential', 'verifyWebSemanticCredentials']
  for (const { id, request } of requests().filter((each) => each.request.body?.options)) {
    const raw = (request.body?.raw ?? '').replace('{{credential}}', '{}')
    const written = raw.replaceAll('{{did}}', ISSUER).replaceAll('{{key}}', ISSUER_KEY)
    if (ownVariables.includes(id)) t.notThrows(() => JSON.parse(written), id)
    else t.deepEqual(JSON.parse(written), example(id), id)
  }
})

const example = (id: string): unknown =>
  operations.find(({ operationId }) => operationId === id)?.requestBody?.content['application/json']?.example
const issuerOf = (id: string): unknown =>
  (example(id) as { verifiableCredential: { issuer: { id: string } } }).verifiableCredential.issuer.id

const text = { type: 'string' }
const object = (properties: object, optional: string[] = []) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const variable = object({ key: text, value: text, description: text }, ['description'])
const pair = object({ key: text, value: text, description: text, disabled: { type: 'boolean' } }, [
  'description',
  'disabled',
])
const bearer = object({ key: { const: 'token' }, value: text, type: { const: 'string' } })
const auth = {
  oneOf: [
    object({ type: { const: 'noauth' } }),
    object({ type: { const: 'bearer' }, bearer: list(bearer, { minItems: 1 }) }),
  ],
}
const url = object({ raw: text, host: list(text), path: list(text), query: list(pair), variable: list(variable) }, [
  'query',
  'variable',
])
const raw = object(
  { mode: { const: 'raw' }, raw: text, options: object({ raw: object({ language: { const: 'json' } }) }) },
  ['options'],
)
const request = object(
  { method: { enum: ['GET', 'POST', 'PUT', 'DELETE'] }, description: text, auth, header: list(pair), url, body: raw },
  ['auth', 'body'],
)
const script = object({ type: { const: 'text/javascript' }, exec: list(text) })
const item = object({ id: text, name: text, event: list(object({ listen: { const: 'test' }, script })), request }, [
  'event',
])
const FORMAT = object({
  info: object({
    name: text,
    description: text,
    version: text,
    schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  }),
  auth,
  variable: list(variable),
  item: list(object({ name: text, item: list(item, { minItems: 1 }) }), { minItems: 10 }),
})

test('the file has the members of the Postman Collection Format v2.1.0, and no others', (t) => {
  const ajv = new Ajv({ allErrors: true })
  t.true(ajv.validate(FORMAT, collection), ajv.errorsText())
  for (const { id, request } of requests())
    t.is(request.url.raw.split('?', 1)[0], `{{address}}/${request.url.path.join('/')}`, id)
})

test('from the collection alone: a token, a DID, a signed credential, and its verification', async (t) => {
  const { clientId, clientSecret } = world.first
  const runner = runnerOf(collection, { address: world.url, clientId, clientSecret })
  t.is((await runner.run('createDID')).status, 401, 'without a token')
  t.is((await runner.run('getOAuthAccessToken')).status, 200)
  const created = await runner.run('createDID')
  t.is(created.status, 201, created.text)
  t.is(runner.variables.get('did'), created.json<{ did: string }>().did)
  const signed = await runner.run('signWebSemanticCredential')
  t.is(signed.status, 200, signed.text)
  t.is(
    signed.json<{ credential: { issuer: { id: string } } }>().credential.issuer.id,
    runner.variables.get('did') ?? '',
  )
  const verified = await runner.run('verifyWebSemanticCredentials')
  t.like(verified.json(), { verified: true, reason: [] }, verified.text)
  t.is(runner.variables.get('credential'), JSON.stringify(signed.json<{ credential: object }>().credential))
  const jws = await runner.run('signCredential')
  t.is(jws.json<{ verified: boolean }>().verified, true, jws.text)
  t.is((await runner.run('getTokenKeySet')).status, 200, 'what is public')
  const list = await runner.run('getDIDsList')
  t.is(list.json<{ totalCount: number }>().totalCount, 1, list.text)
})

test('before a credential is signed, the document’s own is there to be verified', async (t) => {
  const { clientId, clientSecret } = world.first
  const runner = runnerOf(collection, { address: world.url, clientId, clientSecret })
  await runner.run('getOAuthAccessToken')
  const reply = await runner.run('verifyWebSemanticCredentials')
  t.is(reply.status, 200, reply.text)
  t.is(typeof reply.json<{ verified: boolean }>().verified, 'boolean')
})
