/** Components of the document that belong to no area. */
export const COMPONENTS = {
  parameters: {
    IdempotencyKey: {
      in: 'header',
      name: 'Idempotency-Key',
      required: false,
      description:
        'A key of your own for this request, such as a UUID. The same key with the same request returns the first response again for 24 hours. With another request: 422. While the first request is processed: 409.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    },
    IfNoneMatch: {
      in: 'header',
      name: 'If-None-Match',
      required: false,
      description: 'ETags of answers that the caller has: 304 if the answer would be one of them.',
      schema: { type: 'string', example: '"gBYUDCw"' },
    },
    IfModifiedSince: {
      in: 'header',
      name: 'If-Modified-Since',
      required: false,
      description:
        'Last-Modified of the answer that the caller has: 304 if nothing changed since then. With If-None-Match it does not count.',
      schema: { type: 'string', example: 'Fri, 01 Jan 2027 00:00:10 GMT' },
    },
  },
  headers: {
    ETag: {
      description: 'Names this version of the answer (RFC 9110, section 8.8.3).',
      schema: { type: 'string' },
    },
    LastModified: {
      description: 'When the answer changed last (RFC 9110, section 8.8.2).',
      schema: { type: 'string' },
    },
    RequestId: {
      description: 'Id of the request in the log, and in `instance` of a problem.',
      schema: { type: 'string', format: 'uuid' },
    },
    Location: {
      description: 'Path of the resource, relative to the base URL.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 0 } },
  },
} as const

export const IDEMPOTENCY_KEY = { $ref: '#/components/parameters/IdempotencyKey' }
export const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
export const LOCATION = { Location: { $ref: '#/components/headers/Location' } }
export const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })
export const TAGGED = { parameters: [parameter('IfNoneMatch')], headers: { ETag: header('ETag') } }
export const DATED = {
  parameters: [parameter('IfNoneMatch'), parameter('IfModifiedSince')],
  headers: { ETag: header('ETag'), 'Last-Modified': header('LastModified') },
}

/** Rows on a page, and the page: `null` and no value are absent. */
const PAGE: Readonly<Record<string, object>> = {
  limit: { type: 'integer', format: 'int64', nullable: true, minimum: 0, maximum: 1000, default: 20 },
  page: { type: 'integer', format: 'int64', nullable: true, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
}

/** The schema of a parameter that many operations have; the description of one may name another default. */
export function pageParameter({ name, description = '' }: { name?: string; description?: string }): object | undefined {
  if (name === undefined || !Object.hasOwn(PAGE, name)) return undefined
  const own = /Default: (\d+)\./.exec(description)?.[1]
  return own === undefined ? PAGE[name] : { ...PAGE[name], default: Number(own) }
}
