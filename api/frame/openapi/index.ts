import { REQUEST_EXAMPLES, TEXT_EXAMPLES } from './examples.ts'

interface Content {
  [mediaType: string]: { schema?: unknown; example?: unknown; examples?: unknown }
}

interface Answer {
  description: string
  content?: Content
  headers?: Record<string, unknown>
}

interface Described {
  operationId: string
  security?: unknown[]
  parameters?: { in?: string; name?: string; schema?: { format?: string }; $ref?: string }[]
  requestBody?: { content: Content }
  responses: Record<string, Answer>
}

/** The parts of an OpenAPI 3.0 document that are looked at here. */
export interface GeneratedOpenApi {
  paths: Record<string, Record<string, Described>>
  components?: { schemas?: unknown }
}

const WRITES = new Set(['post', 'put', 'patch', 'delete'])
const PROBLEM = 'application/problem+json'

/** Operations that write their answer themselves, line by line: the generator does not see what it is. */
const FILES: Record<string, string[]> = {
  getCredentialBatchErrors: ['application/x-ndjson', 'text/csv'],
  getCredentialBatchResults: ['application/x-ndjson'],
}

/** Creations whose answer says where the new thing is, or where its progress is (RFC 9110 sections 15.3.2, 15.3.3). */
const LOCATED = new Set(['createDID', 'createCredentialBatch', 'revokeCredentialBatch', 'createWebSemanticRevocation'])

const PROBLEM_EXAMPLE = {
  type: '/problems#request.invalid',
  title: 'Bad Request',
  status: 400,
  detail: 'The request does not have the expected form; see errors.',
  instance: '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  errors: [{ path: 'method', code: 'schema', message: "'method' is required" }],
}

const COMPONENTS = {
  parameters: {
    IdempotencyKey: {
      in: 'header',
      name: 'Idempotency-Key',
      required: false,
      description:
        'The same key with the same request: the first answer again, byte for byte, for 24 hours. With another request: 422. While the first is worked on: 409.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      example: '3a8f2f6e-2a34-4a53-9f4a-0c6f6d0b2f11',
    },
  },
  headers: {
    RequestId: {
      description: 'Names this request in the log and, of a problem, in `instance`.',
      schema: { type: 'string', format: 'uuid' },
    },
    Location: {
      description: 'Where it is read, below the base URL.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    RetryAfter: { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } },
  },
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
const LOCATION = { Location: { $ref: '#/components/headers/Location' } }
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

const problem = (description: string): Answer => ({
  description,
  content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' }, example: PROBLEM_EXAMPLE } },
})

const file = (operationId: string, answer: Answer): Answer => {
  const types = FILES[operationId]
  if (!types || answer.content) return answer
  return { ...answer, content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])) }
}

function completeResponses({ operationId, responses }: Described): Record<string, Answer> {
  const all = { ...responses, default: problem('any other failure, such as 429 and 503 with Retry-After') }
  return Object.fromEntries(
    Object.entries(all).map(([status, answer]) => {
      const failed = status === 'default' || Number(status) >= 400
      const later = ['default', '429', '503'].includes(status) ? RETRY_AFTER : {}
      const located = /^20[12]$/.test(status) && LOCATED.has(operationId) ? LOCATION : {}
      const complete = failed ? problem(answer.description) : file(operationId, answer)
      return [
        status,
        {
          ...complete,
          description: complete.description || 'as asked',
          headers: { ...complete.headers, ...REQUEST_ID, ...located, ...later },
        },
      ]
    }),
  )
}

/** Examples of what is sent; tokens are asked for with forms as well. */
function completeBody({ operationId, requestBody }: Described): Pick<Described, 'requestBody'> {
  if (!requestBody) return {}
  const exampleOf = (type: string) =>
    type === 'application/json' ? REQUEST_EXAMPLES[operationId] : TEXT_EXAMPLES[operationId]?.[type]
  const content = Object.entries(requestBody.content).map(([type, media]): [string, Content[string]] => {
    const example = exampleOf(type)
    return [type, example === undefined ? media : { ...media, example }]
  })
  const json = requestBody.content['application/json']
  const form: Content =
    operationId === 'getOAuthAccessToken' && json ? { 'application/x-www-form-urlencoded': json } : {}
  return { requestBody: { ...requestBody, content: { ...Object.fromEntries(content), ...form } } }
}

function completeOperation(method: string, operation: Described): Described {
  const { parameters = [], security = [] } = operation
  const keyed = WRITES.has(method) && security.length > 0
  // JSON has one kind of number, and ours end where a double does; the generator knows 32 bits alone
  const own = parameters.map(({ schema, ...parameter }) => {
    const { format, ...rest } = schema ?? {}
    return schema ? { ...parameter, schema: format === 'int32' ? rest : schema } : parameter
  })
  return {
    ...operation,
    parameters: keyed ? [...own, { $ref: '#/components/parameters/IdempotencyKey' }] : own,
    ...completeBody(operation),
    responses: completeResponses(operation),
  }
}

/** OpenAPI 3.0.3 wants a type beside `nullable`; the generator leaves it out where the rest is a reference. */
function completeSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(completeSchema)
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, completeSchema(member)]))
  return 'allOf' in members && members.nullable === true ? { type: 'object', ...members } : members
}

/**
 * What the generator cannot say: the media type of problems, the answer to any other failure (specification, Errors 2),
 * headers, the Idempotency-Key of every write, and that tokens are asked for with forms as well.
 */
export const completeOpenApi = <Document extends GeneratedOpenApi>(document: Document): Document => ({
  ...document,
  components: { ...document.components, schemas: completeSchema(document.components?.schemas), ...COMPONENTS },
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, completeOperation(method, operation)]),
      ),
    ]),
  ),
})
