import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import test from 'ava'
import { SCHEMAS } from '../../../../api/frame/openapi/areas.ts'
import { PROBLEMS } from '../../../../api/frame/problems.ts'
import { ALL_SCOPES } from '../../../../protocol/tokens-logs/index.ts'
import { document, operations, type Schema } from '../../../support/frame/openapi.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('int8', { type: 'number', validate: (value: number) => value >= -128 && value <= 127 })
ajv.addSchema({ $id: 'document', components: document.components })
const asJsonSchema = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object

interface Problem {
  type: string
  status: number
  detail: string
}

test('one security scheme: OAuth 2.0 client credentials with every scope described (OpenAPI 3.0.3, Security Scheme Object)', (t) => {
  const { securitySchemes } = document.components as unknown as {
    securitySchemes: Record<
      string,
      { type: string; flows: { clientCredentials: { tokenUrl: string; scopes: Record<string, string> } } }
    >
  }
  t.deepEqual(Object.keys(securitySchemes), ['bearerAuth'])
  const { type, flows } = securitySchemes.bearerAuth ?? t.fail()
  t.is(type, 'oauth2')
  t.true(flows.clientCredentials.tokenUrl in document.paths)
  const { scopes } = flows.clientCredentials
  t.deepEqual(Object.keys(scopes), [...ALL_SCOPES])
  t.is(new Set(Object.values(scopes)).size, ALL_SCOPES.length)
  for (const { security = [], operationId } of operations)
    for (const requirement of security) {
      t.deepEqual(Object.keys(requirement), ['bearerAuth'], operationId)
      for (const scope of requirement.bearerAuth ?? []) t.true(scope in scopes, operationId)
    }
})

test('each response with a body has one example, and its schema takes it', (t) => {
  for (const { operationId, responses } of operations)
    for (const [status, { content = {} }] of Object.entries(responses))
      for (const [type, { schema, example, examples }] of Object.entries(content)) {
        const values = example === undefined ? Object.values(examples ?? {}) : [example]
        t.is(values.length, 1, `${operationId} ${status} ${type}`)
        const [value] = values as [{ value?: unknown }]
        const body = example ?? value.value
        t.true(ajv.validate(asJsonSchema(schema ?? {}), body), `${operationId} ${status}: ${ajv.errorsText()}`)
      }
})

test('the example of an error has a code of its own status, and no two errors of an operation have the same', (t) => {
  const statuses = new Map(PROBLEMS.map(({ code, status }) => [code, status]))
  for (const { operationId, responses } of operations) {
    const errors = Object.entries(responses).filter(([status]) => status === 'default' || Number(status) >= 400)
    const codes = errors.map(([status, { content = {} }]) => {
      // wallets read problems as errors of OAuth 2.0
      const media = content['application/problem+json'] ?? content['application/json']
      const { type, status: own, detail } = media?.example as Problem
      const code = type.replace('/problems#', '')
      t.is(statuses.get(code), own, `${operationId} ${status}: ${code}`)
      t.is(status === 'default' ? 500 : Number(status), own, operationId)
      t.truthy(detail, operationId)
      return code
    })
    t.is(new Set(codes).size, codes.length, operationId)
  }
})

/** Every schema of the document with its path, the components' and those within. */
function* schemasIn(value: unknown, path = ''): Generator<[path: string, schema: Schema & Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  yield [path, value as Schema & Record<string, unknown>]
  for (const [name, member] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* schemasIn(member, `${path}/${name}`)
}

test('a URL of another host than the example’s is as good: no pattern has a list of hosts', (t) => {
  let found = 0
  for (const [path, { pattern, example }] of schemasIn(document.components.schemas)) {
    if (typeof pattern !== 'string' || typeof example !== 'string' || !example.startsWith('https://')) continue
    found++
    const { host } = new URL(example)
    for (const other of ['anmeldung.hochschule.museum', 'a.b.c.d.e.f.de'])
      t.regex(example.replace(host, other), new RegExp(pattern, 'u'), path)
  }
  t.true(found >= 8, String(found))
})

test('whole numbers are integers with a format, and times are date-times', (t) => {
  const doubles: string[] = []
  for (const [path, schema] of schemasIn(document.components.schemas)) {
    if (schema.type === 'number') doubles.push(path)
    if (schema.type === 'integer') t.truthy(schema.format, path)
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      if (/_at$|^timestamp$/.test(name)) t.regex(JSON.stringify(member), /DateTime|date-time/, `${path}/${name}`)
  }
  t.deepEqual(doubles, ['/BatchOut/properties/rows_per_second', '/ClaimCriterion/anyOf/1', '/QueriedScalar/anyOf/1'])
})

test('descriptions speak to callers: no HTML that a page would swallow, and no notes about the code', (t) => {
  for (const [path, { description }] of schemasIn(document)) {
    if (typeof description !== 'string') continue
    t.notRegex(description, /<\/?[a-z]/i, path)
    t.notRegex(
      description,
      /\b(the|this) specification\b|not in the specification|\bD-\d{3}\b|\btsoa\b|inline type/i,
      path,
    )
    t.notRegex(description, /^\{\}$/, path)
  }
})

test('each schema that an area gives belongs to a type of a request or a response', (t) => {
  const generated = JSON.parse(readFileSync(new URL('../../../../build/openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: object }
  }
  for (const name of Object.keys(SCHEMAS))
    t.true(name in generated.components.schemas || name in document.components.schemas, name)
})

test('a nullable reference allows null, and a description beside a reference is not lost', (t) => {
  for (const [path, schema] of schemasIn(document.components.schemas))
    if ('$ref' in schema && typeof schema.$ref === 'string') t.deepEqual(Object.keys(schema), ['$ref'], path)
  const { VerifyPresentationIn } = document.components.schemas
  const templateId = VerifyPresentationIn?.properties?.templateId
  t.like(templateId, { type: 'string', format: 'uuid', nullable: true })
  t.true(ajv.validate(asJsonSchema(document.components.schemas.TemplateOut?.properties?.expires_in ?? {}), null))
})

test('304 has no body, a list says its own default, and no schema requires nothing', (t) => {
  const unchanged = operations.flatMap(({ operationId, responses }) =>
    responses['304'] ? [[operationId, responses['304'].content]] : [],
  )
  t.true(unchanged.length >= 3)
  for (const [operationId, content] of unchanged) t.is(content, undefined, String(operationId))
  const limit = operations
    .find(({ operationId }) => operationId === 'getEnvironments')
    ?.parameters?.find(({ name }) => name === 'limit')
  t.like(limit?.schema, { default: 10 })
  for (const [path, schema] of schemasIn(document))
    if (Array.isArray(schema.required)) t.true(schema.required.length > 0, path)
})
