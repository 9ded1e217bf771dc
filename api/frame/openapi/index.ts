import {
  ANSWERS,
  ARCHIVES,
  DATES,
  DOWNLOADS,
  FILES,
  FORMS,
  gaps,
  JWTS,
  LOCATED,
  OAUTH_ERRORS,
  PARAMETERS,
  REQUEST_EXAMPLES,
  SCHEMAS,
  UPLOADS,
} from './areas.ts'
import {
  COMPONENTS,
  DATED,
  IDEMPOTENCY_KEY,
  LOCATION,
  pageParameter,
  REQUEST_ID,
  RETRY_AFTER,
  TAGGED,
} from './components.ts'
import { formWithFile } from './files.ts'
import type { Answer, Content, Described, GeneratedOpenApi } from './generated.ts'
import { ref } from './json.ts'
import { exampleOf } from './refusals.ts'
import { derivedReplies } from './replies.ts'
import { completeParameter, completeSchema, completeSchemas, namesIn, type Schema, type Schemas } from './schemas.ts'
import { requirementsOf, SECURITY_SCHEMES } from './security.ts'
import { oauthExampleOf, withOAuthProblem } from './wallets.ts'

const WRITES = new Set(['post', 'put', 'patch', 'delete'])
const PROBLEM = 'application/problem+json'

const TEXT = { schema: { type: 'string' } }
const BYTES = { schema: { type: 'string', format: 'binary' } }

/** Media types of bytes, which no client may read as a text. */
const isBytes = (type: string): boolean => /^(application\/(.+\+cwt|cwt|gzip|pdf|pkix-.+)|image\/png)$/.test(type)

const fileOf = (type: string) => (isBytes(type) ? BYTES : TEXT)

interface Completing {
  path: string
  operation: Described
  isKeyed: boolean
  schemas: Schemas
}

const requiredOf = ({ requestBody }: Described, schemas: Schemas): string[] => {
  const { $ref = '' } = (requestBody?.content['application/json']?.schema ?? {}) as { $ref?: string }
  const body = schemas[$ref.replace('#/components/schemas/', '')] as
    | { required?: string[]; anyOf?: Schema[] }
    | undefined
  const [first] = body?.anyOf ?? []
  return body?.required ?? (first as { required?: string[] } | undefined)?.required ?? []
}

/** A refusal of the status, in the form in which its caller reads it: wallets and OpenID clients read errors of OAuth 2.0. */
function problem(status: string, { description }: Answer, { path, operation, schemas }: Completing): Answer {
  const example = exampleOf(path, operation, status, requiredOf(operation, schemas))
  const malformed = OAUTH_ERRORS[operation.operationId]
  const content: Content =
    malformed === undefined
      ? { [PROBLEM]: { schema: ref('Problem'), example } }
      : { 'application/json': { schema: ref('OAuthProblem'), example: oauthExampleOf(example, malformed) } }
  return { description, content }
}

/** A body that may be a JWT in place of JSON. */
function jwtOf(operationId: string): Content {
  const example = JWTS[operationId]
  return example === undefined ? {} : { 'application/jwt': { ...TEXT, example } }
}

/** A successful response with its example, and with the media types that the generator does not see. */
function success(status: string, answer: Answer, { operation: { operationId }, schemas }: Completing): Answer {
  if (status === '304') return { description: answer.description } // which has no body (RFC 9110 section 15.4.5)
  const texts = Object.entries(DOWNLOADS[operationId] ?? {}).map(([type, text]) => [
    type,
    { ...fileOf(type), example: text },
  ])
  const files: Content = Object.fromEntries(texts)
  if (texts.length > 0 && !answer.content) return { ...answer, content: files }
  const example = ANSWERS[operationId]
  const jwt = jwtOf(operationId)
  const content: Content = Object.fromEntries(
    Object.entries(answer.content ?? {}).map(([type, media]) => [
      type,
      {
        ...media,
        ...(media.schema && { schema: completeSchema(media.schema, schemas) }),
        ...(isBytes(type) && BYTES),
        ...(example !== undefined && { example }),
      },
    ]),
  )
  return answer.content ? { ...answer, content: { ...content, ...jwt, ...files } } : answer
}

/** What a caller sends to get 304, and what it knows an answer by; of an operation that has 304. */
const conditions = ({ operationId, responses }: Described) => {
  if (!('304' in responses)) return { parameters: [], headers: {} }
  return DATES.has(operationId) ? DATED : TAGGED
}

function completeResponses(completing: Completing): Record<string, Answer> {
  const { path, operation, isKeyed } = completing
  const replies: Record<string, Answer> = {
    ...derivedReplies(path, operation, isKeyed),
    ...operation.responses,
    default: { description: 'Any other failure, such as 503 with Retry-After.' },
  }
  return Object.fromEntries(
    Object.entries(replies).map(([status, answer]) => {
      const failed = status === 'default' || Number(status) >= 400
      const later = ['default', '429', '503'].includes(status) ? RETRY_AFTER : {}
      const located = /^20[12]$/.test(status) && LOCATED.has(operation.operationId) ? LOCATION : {}
      const versioned = status === '200' || status === '304' ? conditions(operation).headers : {}
      const complete = failed ? problem(status, answer, completing) : success(status, answer, completing)
      return [
        status,
        {
          ...complete,
          description: complete.description || 'Success.',
          headers: { ...complete.headers, ...REQUEST_ID, ...versioned, ...located, ...later },
        },
      ]
    }),
  )
}

/** Adds the examples of bodies, and what the generator does not see: streams, and forms and archives in addition to JSON. */
function completeBody({ operationId, requestBody }: Described, schemas: Schemas): Pick<Described, 'requestBody'> {
  const upload = UPLOADS[operationId]
  if (upload) {
    const content = Object.entries(upload.examples).map(([type, example]) => [type, { ...fileOf(type), example }])
    return {
      requestBody: { required: true, description: upload.description, content: Object.fromEntries(content) },
    }
  }
  const json = requestBody?.content['application/json']
  if (!requestBody || !json) return {}
  const form: Content = FORMS.has(operationId) ? { 'application/x-www-form-urlencoded': json } : {}
  const file = FILES[operationId]
  const withFile = file ? formWithFile(file, json.schema, schemas) : {}
  const example = REQUEST_EXAMPLES[operationId]
  const isArchive = ARCHIVES.has(operationId)
  const zip = { schema: { type: 'string', format: 'binary' }, example: '<a ZIP archive>' }
  const archive: Content = isArchive ? { 'application/zip': zip } : {}
  const shown = { 'application/json': { ...json, example } }
  const content = { ...requestBody.content, ...shown, ...form, ...withFile, ...jwtOf(operationId), ...archive }
  return { requestBody: { ...requestBody, ...(isArchive && { required: true }), content } }
}

function completeOperation(path: string, method: string, operation: Described, schemas: Schemas): Described {
  const { operationId, parameters = [], security = [] } = operation
  const isKeyed = WRITES.has(method) && security.length > 0
  const given = PARAMETERS[operationId]
  const isList = parameters.some(({ name }) => name === 'limit')
  const own = parameters.map((parameter) => {
    const schema = given?.[parameter.name ?? ''] ?? pageParameter(parameter) ?? parameter.schema
    const emptied = isList && parameter.in === 'query' ? { allowEmptyValue: true } : {}
    return schema ? { ...parameter, ...emptied, schema: completeParameter(schema as Schema, schemas) } : parameter
  })
  return {
    ...operation,
    ...(operation.security && { security: requirementsOf(security) }),
    parameters: [...own, ...conditions(operation).parameters, ...(isKeyed ? [IDEMPOTENCY_KEY] : [])],
    ...completeBody(operation, schemas),
    responses: completeResponses({ path, operation, isKeyed, schemas }),
  }
}

/** How to use the API as a whole: what no operation says for itself. */
const DESCRIPTION = `Issues, manages and verifies decentralized identities and verifiable credentials.

**Repeating a write.** Every operation with POST, PUT or DELETE that needs a token reads the header \`Idempotency-Key\`: 1 to 255 printable ASCII characters, unique for each new request of the client, such as a UUID. The same key with the same request returns the first response again for 24 hours, with \`Idempotency-Replayed: true\`. The same key with another request is refused with 422, and with 409 while the first request is processed.

**Errors** are problem details (RFC 9457). The fragment of \`type\` is a stable code; [/problems](/problems) explains each.`

/**
 * Adds what the generator cannot derive: the facts of each area's document, the refusals that follow from what an
 * operation needs, the media type of problems, the response to any other failure (specification, Errors 2), headers,
 * and the Idempotency-Key of every write.
 */
export function completeOpenApi<Document extends GeneratedOpenApi>(document: Document): Document {
  const missing = gaps(document)
  if (missing.length > 0) throw new Error(`The API document and the areas do not agree: ${missing.join('; ')}.`)
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const requests = operations.flatMap(({ parameters, requestBody }) => [parameters, requestBody])
  const schemas = completeSchemas(withOAuthProblem(document.components?.schemas ?? {}), SCHEMAS, requests)
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          completeOperation(path, method, operation, schemas),
        ]),
      ),
    ]),
  )
  const used = namesIn(paths, schemas) // the generator also writes types of query strings, which no schema refers to
  return {
    ...document,
    info: { ...document.info, description: DESCRIPTION },
    components: {
      ...document.components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
      ...COMPONENTS,
      securitySchemes: SECURITY_SCHEMES,
    },
    paths,
  }
}
