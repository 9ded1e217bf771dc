import { disjoint } from '../../protocol/disjoint.ts'
import { DOCUMENTS } from './openapi/areas.ts'
import type { ProblemTable } from './openapi/document.ts'

/** The codes that come from what every area stands on, by status. */
const FRAME_PROBLEMS: ProblemTable = {
  400: {
    'idempotency.key_invalid': 'The Idempotency-Key is not 1 to 255 printable ASCII characters without spaces.',
    'key.agreement_refused': 'The other public key is not usable for key agreement.',
    'key.too_many_messages': 'More statements than the key signs at once.',
    'key.unsupported': 'A key of this type cannot do what was asked.',
    'outbound.bad_answer': 'A host that was called answered what is no answer.',
    'outbound.blocked': 'A host is not on the public internet, and therefore not called.',
    'outbound.invalid_request': 'A call outward was asked for that cannot be made.',
    'outbound.invalid_url': 'A URL is malformed, or holds what no called URL may.',
    'outbound.not_https': 'A URL is not https.',
    'outbound.port': 'A URL names a port that is not called.',
    'outbound.redirected': 'A host answered with a redirection; none is followed.',
    'outbound.tls': 'The certificate of a host is not valid.',
    'outbound.too_large': 'The answer of a host is larger than the bound.',
    'qr_code.too_long': 'The text does not fit into a QR code.',
    'request.duplicate_member': 'The body gives a name twice, or a reserved one.',
    'request.invalid': 'The request does not have the form that the API document gives; errors names the fields.',
    'request.malformed':
      'The request cannot be read as HTTP: its encoding, length, host or path is wrong, or a header stands there twice.',
    'request.malformed_json': 'The body is not JSON.',
    'request.not_utf8': 'The body is not UTF-8.',
    'request.number_out_of_range': 'A number would change by being read as a double; send it as a string.',
    'request.too_deep': 'The body is nested too deeply.',
    'request.too_many_members': 'The body has more members than anything here takes.',
    'request.unusable_text': 'A text holds U+0000 or half a surrogate pair.',
  },
  404: {
    'key.not_found': 'The key does not exist, or was destroyed.',
    'request.not_found': 'There is nothing at this path.',
  },
  405: {
    'request.method_not_allowed': 'The path does not take this method; see Allow.',
  },
  408: {
    'request.timeout': 'The request did not arrive in time.',
  },
  409: {
    'idempotency.in_flight': 'A request with this Idempotency-Key is being worked on; ask again in a moment.',
    'request.conflict': 'Another request changed the same thing in the same moment; look and ask again.',
  },
  413: {
    'request.too_large': 'The body is larger than 1 MiB, than 16 KiB for a token, or than 1 GiB for an upload.',
    'workflow.payload_too_large': 'The request is too large to be handed to a workflow.',
  },
  415: {
    'request.unsupported_media_type':
      'The body is not of a type that the operation takes, not in UTF-8, or its encoding is unknown.',
  },
  422: {
    'idempotency.key_reused': 'This Idempotency-Key came with another request before.',
  },
  429: {
    'request.too_many': 'Too many requests; Retry-After says when to go on.',
    'request.too_much_work':
      'The tenant has used, or waits for, more computing time than its share while others want theirs; see Retry-After.',
  },
  431: {
    'request.headers_too_large': 'The headers are larger than 16 KiB.',
  },
  500: {
    internal: 'Something failed that we did not foresee; the log has it under the instance.',
    'key.agreement_unsupported': 'The key store is not able to agree keys of this type.',
    'key.envelope_refused': 'A stored key does not open: wrong master key, or the row was changed.',
    'key.invalid_reference': 'A key was named in a form that reaches no store.',
  },
  503: {
    'database.unavailable': 'The database does not answer now; see Retry-After.',
    'documents.unavailable': 'Too many documents wait to be processed; see Retry-After.',
    'key.store_refused': 'The key store refuses the platform; an operator must act.',
    'keys.unavailable': 'The key store does not answer now; see Retry-After.',
    'outbound.unavailable': 'A host that had to be called does not answer now; see Retry-After.',
    'temporal.unavailable': 'The workflow engine does not answer now; see Retry-After.',
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
 * Every `code` that an answer can carry in its `type`, by status: the one table from codes to HTTP. A test finds each
 * code that the platform constructs in here; a code with two meanings does not load.
 */
const known: Record<string, Problem> = disjoint(
  ...[FRAME_PROBLEMS, ...DOCUMENTS.map(({ problems }) => problems)].flatMap(problemsIn),
)

/** For the page of problems. */
export const PROBLEMS: Problem[] = Object.values(known).sort((a, b) => (a.code < b.code ? -1 : 1))

const find = (code: string): Problem | undefined => (Object.hasOwn(known, code) ? known[code] : undefined)

/** The HTTP status of a code. */
export const statusOf = (code: string): number => find(code)?.status ?? (code.endsWith('.not_found') ? 404 : 400)

export const meaningOf = (code: string): string => find(code)?.meaning ?? ''
