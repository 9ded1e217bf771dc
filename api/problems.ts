/**
 * Every `code` that an answer can carry in its `type`, by status: the one table from codes to HTTP. A test finds each
 * code that the platform constructs in here.
 */
const MEANINGS: Record<number, Record<string, string>> = {
  400: {
    'batch.csv_header': 'The header line of a CSV does not name claims; errors names the columns.',
    'batch.csv_invalid': 'A CSV cannot be read; errors names the line.',
    'batch.empty': 'An upload holds no row.',
    'context.changed': 'The content at a context URL is not the one that was pinned; pinned content never changes.',
    'context.invalid': 'The document at a context URL, or a context given inline, is no usable JSON-LD context.',
    'context.unavailable': 'A context that is not known yet could not be fetched.',
    'context.unknown': 'A context is not known, and unknown ones are not fetched here.',
    'credential.invalid': 'The credential breaks rules of its data model; errors names them.',
    'credential.issuer_key_unfit': 'The issuer holds no key that the proof type needs.',
    'credential.issuer_not_ready': "The issuer's registration has not completed.",
    'credential.issuer_unknown': 'The issuer is not a DID of this tenant.',
    'credential.malformed': 'What was sent is no credential at all.',
    'credential.not_derivable': 'The proof does not allow a derivation, or not this one.',
    'credential.not_revocable': 'The credential was signed without a status.',
    'credential.pointer_invalid': 'A pointer names a member that the credential does not have.',
    'credential.proof_type_unsupported': 'The proof type is not supported.',
    'credential.term_undefined': 'No context defines a term that the credential uses; errors names it.',
    'credential.too_complex': 'The credential takes more time or memory to process than one may.',
    'did.invalid': 'A DID, or a key in it, is malformed.',
    'did.invalid_configuration': 'A domain linkage file is malformed.',
    'did.invalid_document': 'A DID document is malformed, or is not that of its DID.',
    'did.invalid_url': 'The URL cannot be the address of a did:web.',
    'did.key_type_unsupported': 'DIDs are not made with this key type.',
    'did.key_unsupported': 'A key in a DID document is of a type that is not supported.',
    'did.method_not_found': 'The DID document has no such verification method.',
    'did.method_unsupported': 'The DID method is not supported; key and web are.',
    'did.unresolvable': 'A DID does not resolve; the detail says why.',
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
    'request.duplicate_member': 'The body gives a name twice, or a reserved one.',
    'request.invalid': 'The request does not have the form that the API document gives; errors names the fields.',
    'request.malformed': 'The request cannot be read as HTTP: its encoding, length, host or path is wrong.',
    'request.malformed_json': 'The body is not JSON.',
    'request.not_utf8': 'The body is not UTF-8.',
    'request.number_out_of_range': 'A number would change by being read as a double; send it as a string.',
    'request.too_deep': 'The body is nested too deeply.',
    'request.too_many_members': 'The body has more members than anything here takes.',
    'request.unusable_text': 'A text holds U+0000 or half a surrogate pair.',
    'status_list.full': 'A status list has no entry left.',
    'status_list.index_out_of_range': 'A status index lies outside of its list.',
    'status_list.malformed': 'A status list, or the entry in it, is malformed.',
    'status_list.mismatch': 'A status list is not the one that the credential names, or of another issuer.',
    'status_list.not_verified': 'The proof of a status list does not verify.',
    'status_list.purpose_unsupported': 'The purpose does not exist in this kind of status list.',
    'status_list.size': 'A status list has a size that is not supported.',
    'status_list.too_large': 'A status list unpacks to more than the bound.',
    'status_list.too_short': 'A status list has too few entries to hide a holder among them.',
    'status_list.unavailable': 'A status list could not be fetched.',
    'status_list.unsupported': 'The kind of credential status is not supported.',
    'token.invalid_scope': 'The scope asks for more than the client holds, or for what does not exist.',
    'token.unsupported_grant': 'The grant is not client_credentials.',
  },
  401: {
    'token.invalid': 'The access token has expired, was changed, or is not one of ours.',
    'token.invalid_client': 'The client id or the client secret is wrong.',
    'token.missing': 'The operation needs an access token.',
  },
  403: { 'token.insufficient_scope': 'The access token lacks the scope that the operation needs.' },
  404: {
    'batch.not_found': 'There is no such batch in this tenant.',
    'credential.not_found': 'There is no such credential in this tenant.',
    'did.not_found': 'There is no such DID in this tenant.',
    'key.not_found': 'The key does not exist, or was destroyed.',
    'request.not_found': 'There is nothing at this path.',
    'status_list.not_found': 'There is no such status list.',
  },
  405: { 'request.method_not_allowed': 'The path does not take this method; see Allow.' },
  408: { 'request.timeout': 'The request did not arrive in time.' },
  409: {
    'did.taken': 'The tenant has this DID already.',
    'idempotency.in_flight': 'A request with this Idempotency-Key is being worked on; ask again in a moment.',
    'request.conflict': 'Another request changed the same thing in the same moment; look and ask again.',
    'status_list.issuer_gone': 'The issuer of the status list was deleted; it cannot be signed any more.',
  },
  413: {
    'batch.too_many_rows': 'A batch has more rows than one may.',
    'request.too_large': 'The body is larger than 1 MiB, or an upload larger than 1 GiB.',
    'workflow.payload_too_large': 'The request is too large to be handed to a workflow.',
  },
  415: { 'request.unsupported_media_type': 'The body is not of a type that the operation takes, not in UTF-8, or its encoding is unknown.' },
  422: { 'idempotency.key_reused': 'This Idempotency-Key came with another request before.' },
  429: { 'request.too_many': 'Too many requests; Retry-After says when to go on.' },
  431: { 'request.headers_too_large': 'The headers are larger than 16 KiB.' },
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

/** For the page of problems. */
export const PROBLEMS: { code: string; status: number; meaning: string }[] = Object.entries(MEANINGS)
  .flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, meaning]) => ({ code, status: Number(status), meaning })),
  )
  .sort((a, b) => (a.code < b.code ? -1 : 1))

const known = new Map(PROBLEMS.map((problem) => [problem.code, problem]))

/** The HTTP status of a code. */
export const statusOf = (code: string): number => known.get(code)?.status ?? (code.endsWith('.not_found') ? 404 : 400)

export const meaningOf = (code: string): string => known.get(code)?.meaning ?? ''
