import { DOWNLOADS, FORMS, gaps, LOCATED, REQUEST_EXAMPLES, UPLOADS } from './areas.ts'
import type { Answer, Content, Described, GeneratedOpenApi } from './generated.ts'
import { derivedReplies } from './replies.ts'

const WRITES = new Set(['post', 'put', 'patch', 'delete'])
const PROBLEM = 'application/problem+json'

const PROBLEM_EXAMPLE = {
  type: '/problems#request.invalid',
  title: 'Bad Request',
  status: 400,
  detail: 'The request is not valid; errors names the fields.',
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
        'The same key with the same request returns the first response again for 24 hours. With another request: 422. While the first request is processed: 409.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      example: '3a8f2f6e-2a34-4a53-9f4a-0c6f6d0b2f11',
    },
  },
  headers: {
    RequestId: {
      description: 'Id of the request in the log, and in `instance` of a problem.',
      schema: { type: 'string', format: 'uuid' },
    },
    Location: {
      description: 'Path of the resource, relative to the base URL.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
  },
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
const LOCATION = { Location: { $ref: '#/components/headers/Location' } }
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

const problem = (description: string): Answer => ({
  description,
  content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' }, example: PROBLEM_EXAMPLE } },
})

const TEXT = { schema: { type: 'string' } }

const file = (operationId: string, answer: Answer): Answer => {
  const types = DOWNLOADS[operationId]
  if (!types || answer.content) return answer
  return { ...answer, content: Object.fromEntries(types.map((type) => [type, TEXT])) }
}

function completeResponses(path: string, operation: Described): Record<string, Answer> {
  const { operationId, responses } = operation
  const replies: Record<string, Answer> = {
    ...derivedReplies(path, operation),
    ...responses,
    default: problem('any other failure, such as 503 with Retry-After'),
  }
  return Object.fromEntries(
    Object.entries(replies).map(([status, answer]) => {
      const failed = status === 'default' || Number(status) >= 400
      const later = ['default', '429', '503'].includes(status) ? RETRY_AFTER : {}
      const located = /^20[12]$/.test(status) && LOCATED.has(operationId) ? LOCATION : {}
      const complete = failed ? problem(answer.description) : file(operationId, answer)
      return [
        status,
        {
          ...complete,
          description: complete.description || 'success',
          headers: { ...complete.headers, ...REQUEST_ID, ...located, ...later },
        },
      ]
    }),
  )
}

/** Adds the examples of bodies, and what the generator does not see: streams, and forms in addition to JSON. */
function completeBody({ operationId, requestBody }: Described): Pick<Described, 'requestBody'> {
  const upload = UPLOADS[operationId]
  if (upload) {
    const content = Object.entries(upload.examples).map(([type, example]) => [type, { ...TEXT, example }])
    return {
      requestBody: { required: true, description: upload.description, content: Object.fromEntries(content) },
    }
  }
  const json = requestBody?.content['application/json']
  if (!requestBody || !json) return {}
  const form: Content = FORMS.has(operationId) ? { 'application/x-www-form-urlencoded': json } : {}
  const example = REQUEST_EXAMPLES[operationId]
  const content = { ...requestBody.content, 'application/json': { ...json, example }, ...form }
  return { requestBody: { ...requestBody, content } }
}

function completeOperation(path: string, method: string, operation: Described): Described {
  const { parameters = [], security = [] } = operation
  const keyed = WRITES.has(method) && security.length > 0
  // the generator writes int32, and the numbers of this API are doubles
  const own = parameters.map(({ schema, ...parameter }) => {
    const { format, ...rest } = schema ?? {}
    return schema ? { ...parameter, schema: format === 'int32' ? rest : schema } : parameter
  })
  return {
    ...operation,
    parameters: keyed ? [...own, { $ref: '#/components/parameters/IdempotencyKey' }] : own,
    ...completeBody(operation),
    responses: completeResponses(path, operation),
  }
}

/** OpenAPI 3.0.3 requires a type with `nullable`; the generator omits it next to a reference. */
function completeSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(completeSchema)
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, completeSchema(member)]))
  return 'allOf' in members && members.nullable === true ? { type: 'object', ...members } : members
}

/**
 * Adds what the generator cannot derive: the facts of each area's document, the refusals that follow from what an
 * operation needs, the media type of problems, the response to any other failure (specification, Errors 2), headers,
 * and the Idempotency-Key of every write.
 */
export function completeOpenApi<Document extends GeneratedOpenApi>(document: Document): Document {
  const missing = gaps(document)
  if (missing.length > 0) throw new Error(`The API document and the areas do not agree: ${missing.join('; ')}.`)
  return {
    ...document,
    components: { ...document.components, schemas: completeSchema(document.components?.schemas), ...COMPONENTS },
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [method, completeOperation(path, method, operation)]),
        ),
      ]),
    ),
  }
}
