import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import test from 'ava'
import { REQUEST_EXAMPLES, UPLOADS } from '../../../api/frame/openapi/areas.ts'
import { PROBLEMS } from '../../../api/frame/problems.ts'
import { factsOf, OPERATIONS } from '../../../protocol/operations.ts'
import { newSubdomain } from '../../support/administration.ts'
import { EXAMPLES } from '../../support/frame/examples/index.ts'
import { openTarget, type Target } from '../../support/frame/hostile.ts'
import { bodySchema, document, isPublic, operations, type Schema, schemaOf } from '../../support/frame/openapi.ts'
import {
  areaOf,
  OF_ALL_FORMATS,
  PEOPLE,
  PUBLIC,
  READS_BY_POST,
  WALLETS,
  WRITE_BY_GET,
} from '../../support/frame/permissions.ts'
import { ALIASES } from '../../support/frame/specification/aliases.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('int8', { type: 'number', validate: (value: number) => value >= -128 && value <= 127 })
ajv.addSchema({ $id: 'document', components: document.components })

/** OpenAPI 3.0's nullable is no JSON Schema; references are to the document. */
const asJsonSchema = (schema: Schema): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object

test.serial('answers are what the document says they are', async (t) => {
  for (const operation of operations.filter(({ operationId }) => operationId !== 'deleteDID')) {
    const body = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
    const reply = await target.attack(operation, { body })
    const described =
      operation.responses[String(reply.status)] ?? (reply.status < 400 ? undefined : operation.responses.default)
    if (!described) {
      t.fail(`${operation.operationId}: ${reply.status} is not in the document`)
      continue
    }
    const [type = ''] = (reply.headers['content-type'] ?? '').split(';')
    const schema = described.content?.[type]?.schema
    if (reply.text !== '' && !(type in (described.content ?? {})))
      t.fail(`${operation.operationId}: ${reply.status} of the type ${type} is not in the document`)
    const answer: unknown = schema && /[/+]json$|^application\/vc$/.test(type) ? JSON.parse(reply.text) : reply.text
    if (schema && !ajv.validate(asJsonSchema(schema), answer))
      t.fail(`${operation.operationId}: ${ajv.errorsText()} in ${reply.text.slice(0, 300)}`)
  }
  t.pass()
})

test.serial('the published document is valid OpenAPI', async (t) => {
  const { text, status } = await target.client.ask({ path: '/openapi.json' })
  t.is(status, 200)
  t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(document)))
  const config = await createConfig({
    rules: {
      struct: 'error',
      'operation-operationId-unique': 'error',
      'operation-operationId-url-safe': 'error',
      'operation-parameters-unique': 'error',
      'path-parameters-defined': 'error',
      'no-path-trailing-slash': 'error',
      'no-identical-paths': 'error',
      'no-unresolved-refs': 'error',
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      'security-defined': 'off',
      'spec-components-invalid-map-name': 'error',
    },
  })
  const found = await lintFromString({ source: text, config })
  t.deepEqual(
    found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})

test('each operation needs the one scope of its area, to write unless it only reads (specification, What the service does)', (t) => {
  for (const { operationId, method, path, security = [] } of operations) {
    const reads = (method === 'GET' && !WRITE_BY_GET.includes(operationId)) || READS_BY_POST.includes(operationId)
    const expected = [...PUBLIC, ...OF_ALL_FORMATS].includes(operationId)
      ? []
      : [`${areaOf(path)}:${reads ? 'read' : 'write'}`]
    t.deepEqual(
      security.flatMap((each) => Object.values(each).flat()),
      expected,
      operationId,
    )
  }
  const ids = operations.map(({ operationId }) => operationId)
  t.deepEqual(
    [...PUBLIC, ...OF_ALL_FORMATS, ...READS_BY_POST, ...WRITE_BY_GET].filter((id) => !ids.includes(id)),
    [],
  )
})

test('each operation has a name, a summary, an example or a schema, and its errors', (t) => {
  for (const operation of operations) {
    const { operationId, summary, responses } = operation
    t.regex(operationId, /^[a-z][A-Za-z0-9]+$/)
    t.truthy(summary, operationId)
    const failed = responses.default?.content ?? {}
    t.truthy(failed['application/problem+json'] ?? failed['application/json'], operationId)
    const good = Object.entries(responses).find(([status]) => /^[23]/.test(status))
    const [media] = Object.values(good?.[1].content ?? {})
    // DIDComm v2, Transports: 202 without a body; a redirect has none either
    const isEmpty = good?.[0].startsWith('3') || good?.[0] === '204' || operationId === 'receiveMessage'
    t.true(isEmpty || Boolean(media?.schema ?? media?.example ?? media?.examples), operationId)
    if (isPublic(operation)) continue
    for (const status of ['401', '403']) t.truthy(responses[status], `${operationId}: ${status}`)
  }
})

test('each body has an example in the document that its schema takes, and each example its operation', (t) => {
  const bodies = operations.filter(({ requestBody }) => requestBody)
  for (const { operationId, requestBody } of bodies)
    for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {})) {
      if (type === 'application/x-www-form-urlencoded') continue // as JSON
      t.truthy(example, `${operationId} ${type}`)
      t.true(ajv.validate(asJsonSchema(schema ?? {}), example), `${operationId}: ${ajv.errorsText()}`)
    }
  const ids = bodies.map(({ operationId }) => operationId)
  t.deepEqual(Object.keys({ ...REQUEST_EXAMPLES, ...UPLOADS }).sort(), ids.sort())
})

test.serial('what was made is found at the Location of the answer (RFC 9110, section 15.3.2)', async (t) => {
  const located = operations.filter(({ responses }) =>
    ['201', '202'].some((status) => responses[status]?.headers && 'Location' in responses[status].headers),
  )
  t.true(located.length >= 4)
  const options = new URLSearchParams({ proofType: 'eddsa-rdfc-2022', issuer: target.sample.did })
  const batch = { path: `/v1/credentials/batches?${options}`, headers: { 'content-type': 'text/csv' } }
  const settled = new URLSearchParams({ environmentId: target.sample.environmentId, subdomain: newSubdomain() })
  const file = { path: `/v1/tenants/imports?${settled}`, headers: { 'content-type': 'application/x-ndjson' } }
  // the sample's batch, delivery and export are under way, and its spare tenant is deleted
  const busy = ['revokeCredentialBatch', 'redeliverWebhookDelivery', 'deleteTenant', 'createTenantExport']
  for (const operation of located.filter(({ operationId }) => !busy.includes(operationId))) {
    const uploads: Record<string, object> = {
      createCredentialBatch: { ...batch, body: 'id\ndid:example:ada\n' },
      createTenantImport: { ...file, body: UPLOADS.createTenantImport?.examples['application/x-ndjson'] },
    }
    const upload = uploads[operation.operationId]
    const made = await target.attack(operation, upload ?? { body: JSON.stringify(target.exampleBody(operation)) })
    const { location = '' } = made.headers
    t.is(new URL(location, 'http://base').pathname, location, `${operation.operationId}: ${made.text}`)
    const read = await target.client.ask({ path: location, token: target.tokenFor(operation) })
    t.is(read.status, 200, read.text)
  }
})

test.serial('a word that is no choice is refused with all that are (specification, Errors 1)', async (t) => {
  const asked: [string, object | undefined, string][] = [
    ['/v1/credentials/batches?status=DONE', undefined, 'PROCESSING, PAUSED, COMPLETED, CANCELLED'],
    ['/v1/credentials/web-semantic/revocations', { by: 'x', id: 'y', is_revoked: true }, 'template, batch, issuer'],
  ]
  for (const [path, body, choices] of asked) {
    const method = body ? 'POST' : 'GET'
    const reply = await target.client.ask({
      method,
      path,
      token: target.sample.token,
      body: body && JSON.stringify(body),
    })
    const { errors } = JSON.parse(reply.text) as { errors: { message: string }[] }
    t.deepEqual(
      errors.map(({ message }) => message),
      [`expected one of ${choices}`],
    )
  }
})

test('what is open to everybody is open on purpose', (t) => {
  const open = operations.filter(isPublic).map(({ operationId }) => operationId)
  t.deepEqual(open.sort(), PUBLIC)
})

/** Public files: they belong to no tenant's log, for nobody asked in its name. */
const UNLOGGED = PUBLIC.filter((id) => id !== 'getOAuthAccessToken' && ![...WALLETS, ...PEOPLE].includes(id))

test('each operation has its entry in the log, and each entry its operation', (t) => {
  const ids = operations.map(({ operationId }) => operationId).filter((id) => !UNLOGGED.includes(id))
  t.deepEqual(
    ids.filter((id) => !factsOf(id)),
    [],
  )
  t.deepEqual(
    Object.keys(OPERATIONS).filter((id) => !ids.includes(id)),
    [],
  )
  for (const { name } of Object.values(OPERATIONS)) t.regex(name, /^[A-Z][A-Z_0-9]+$/)
})

test('a body is made of named models: the validation of an inline one takes minutes for a large body', (t) => {
  const inline: string[] = []
  const look = (schema: Schema | undefined, at: string, seen: Set<string>) => {
    if (!schema) return
    if (schema.$ref) {
      if (seen.has(schema.$ref)) return
      return lookInside(schemaOf(schema), at, new Set([...seen, schema.$ref]))
    }
    if (schema.properties && schema.additionalProperties === false) inline.push(at)
    lookInside(schema, at, seen)
  }
  const lookInside = ({ properties = {}, items, additionalProperties }: Schema, at: string, seen: Set<string>) => {
    for (const [name, schema] of Object.entries(properties)) look(schema, `${at}.${name}`, seen)
    look(items, `${at}[]`, seen)
    if (typeof additionalProperties === 'object') look(additionalProperties, `${at}.*`, seen)
  }
  for (const { operationId, requestBody } of operations)
    look(requestBody?.content['application/json']?.schema, operationId, new Set())
  t.deepEqual(inline, [])
})

for (const [method, path, operationId] of ALIASES)
  test.serial(`${method} ${path} is an alias of ${operationId}, outside of the document`, async (t) => {
    const operation = operations.find((each) => each.operationId === operationId)
    if (!operation) return t.fail('not in the document')
    t.false(path in document.paths)
    const filled = path.replace('{id}', encodeURIComponent(EXAMPLES[operationId]?.path?.(target.sample).id ?? ''))
    const body = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
    const [original, alias] = [
      await target.attack(operation, { body }),
      await target.attack(operation, { body, path: filled }),
    ]
    t.is(alias.status, original.status, alias.text)
    t.is(alias.headers['content-type'], original.headers['content-type'])
    if (original.headers['content-type']?.includes('json'))
      t.deepEqual(Object.keys(JSON.parse(alias.text) as object), Object.keys(JSON.parse(original.text) as object))
  })

test('/docs and /problems need nothing from elsewhere, and /problems lists every code with its remedy', async (t) => {
  for (const path of ['/docs', '/problems', '/docs/start.js', '/docs/swagger-ui.css']) {
    const { status, text, headers } = await target.client.ask({ path })
    t.is(status, 200, path)
    t.notRegex(text, /(src|href)=["']?(https?:)?\/\//, path)
    t.notRegex(text, /url\(["']?(https?:)?\/\//, path)
    if (!headers['content-type']?.includes('html')) continue
    t.regex(String(headers['content-security-policy']), /default-src 'self'/)
    for (const [, asset] of text.matchAll(/(?:src|href)="([^"#]+)"/g))
      t.is((await target.client.ask({ path: String(asset) })).status, 200, asset)
  }
  const { text } = await target.client.ask({ path: '/problems' })
  const shown = text.replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  for (const { code, status, meaning, remedy } of PROBLEMS) {
    const row = shown.slice(shown.indexOf(`id="${code}"`)).split('</tr>')[0] ?? ''
    for (const part of [`<code>${code}</code>`, `<td>${status}</td>`, `<td>${meaning}</td>`, `<td>${remedy}</td>`])
      t.true(row.includes(part), `${code}: ${part}`)
  }
})
