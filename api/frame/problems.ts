import { disjoint } from '../../protocol/disjoint.ts'
import { DOCUMENTS } from './openapi/areas.ts'
import type { ProblemTable } from './openapi/document.ts'

/** The codes of the frame, which every area shares, by status. */
const FRAME_PROBLEMS: ProblemTable = {
  400: {
    'idempotency.key_invalid': 'The Idempotency-Key is not 1 to 255 printable ASCII characters without spaces.',
    'key.agreement_refused': 'The other public key is not valid for key agreement.',
    'key.too_many_messages': 'The document has more statements than a key can sign at once.',
    'key.unsupported': 'A key of this type does not support the operation.',
    'outbound.bad_answer': 'The response of a called host is not valid.',
    'outbound.blocked': 'A host is not on the public internet, so the platform does not call it.',
    'outbound.invalid_request': 'A request to another host is not valid and was not sent.',
    'outbound.invalid_url': 'A URL is malformed, or has parts that a called URL must not have.',
    'outbound.not_https': 'A URL is not https.',
    'outbound.port': 'The platform does not call the port of a URL.',
    'outbound.redirected': 'A host responded with a redirect; the platform follows none.',
    'outbound.tls': 'The certificate of a host is not valid.',
    'outbound.too_large': 'The response of a called host is too large.',
    'qr_code.too_long': 'The text is too long for a QR code.',
    'request.duplicate_member': 'The body has a repeated or a reserved name.',
    'request.invalid': 'The request does not match the API document; errors names the fields.',
    'request.malformed':
      'The request cannot be read as HTTP: its encoding, length, host or path is wrong, or a header is repeated.',
    'request.malformed_json': 'The body is not JSON.',
    'request.not_utf8': 'The body is not UTF-8.',
    'request.number_out_of_range': 'A number cannot be read exactly as a double; send it as a string.',
    'request.too_deep': 'The body is nested too deeply.',
    'request.too_many_members': 'The body has too many members; errors has the limits.',
    'request.unusable_text': 'A text contains U+0000 or an unpaired surrogate.',
  },
  404: {
    'key.not_found': 'The key does not exist, or was destroyed.',
    'request.not_found': 'No operation has this path.',
  },
  405: {
    'request.method_not_allowed': 'The path does not support this method; see Allow.',
  },
  408: {
    'request.timeout': 'The request did not arrive in time.',
  },
  409: {
    'idempotency.in_flight': 'A request with this Idempotency-Key is still processed; try again in a moment.',
    'request.conflict': 'Another request changed the same resource at the same time; read it and try again.',
  },
  413: {
    'request.too_large': 'The body is larger than 1 MiB, than 16 KiB for a token, or than 1 GiB for an upload.',
    'workflow.payload_too_large': 'The request is too large for a workflow.',
  },
  415: {
    'request.unsupported_media_type':
      'The Content-Type, charset or Content-Encoding of the body is not supported by the operation.',
  },
  422: {
    'idempotency.key_reused': 'This Idempotency-Key was used with another request.',
  },
  429: {
    'request.too_many': 'Too many requests; try again after the time in Retry-After.',
    'request.too_much_work':
      'The tenant has used up its share of computing time, or waits for too much of it; see Retry-After.',
  },
  431: {
    'request.headers_too_large': 'The headers are larger than 16 KiB.',
  },
  500: {
    internal: 'An unexpected error; the log has it under the instance.',
    'key.agreement_unsupported': 'The key store does not support key agreement for keys of this type.',
    'key.envelope_refused': 'A stored key cannot be decrypted: the master key is wrong, or the row was changed.',
    'key.invalid_reference': 'The reference of a key is not valid in any key store.',
  },
  503: {
    'database.unavailable': 'The database is not available; see Retry-After.',
    'documents.unavailable': 'Too many documents wait to be processed; see Retry-After.',
    'key.store_refused': 'The key store refuses the access of the platform; an operator must act.',
    'keys.unavailable': 'The key store is not available; see Retry-After.',
    'outbound.unavailable': 'A host that the platform must call is not available; see Retry-After.',
    'temporal.unavailable': 'The workflow engine is not available; see Retry-After.',
  },
}

interface Problem {
  code: string
  status: number
  meaning: string
}

const problemsIn = (table: ProblemTable): Record<string, Problem>[] =>
  Object.entries(table).map(([status, codes]) =>
    Object.fromEntries(
      Object.entries(codes).map(([code, meaning]) => [code, { code, status: Number(status), meaning }]),
    ),
  )

/**
 * Every problem code with its status: the one table from codes to HTTP. A test looks up each code that the platform
 * constructs; a code with two meanings throws on load.
 */
const byCode: Record<string, Problem> = disjoint(
  ...[FRAME_PROBLEMS, ...DOCUMENTS.map(({ problems }) => problems)].flatMap(problemsIn),
)

/** For the page of problems. */
export const PROBLEMS: Problem[] = Object.values(byCode).sort((a, b) => (a.code < b.code ? -1 : 1))

const find = (code: string): Problem | undefined => (Object.hasOwn(byCode, code) ? byCode[code] : undefined)

/** The HTTP status of a code. */
export const statusOf = (code: string): number => find(code)?.status ?? (code.endsWith('.not_found') ? 404 : 400)

export const meaningOf = (code: string): string => find(code)?.meaning ?? ''
