import type { ProblemTable } from './openapi/document.ts'

/** The codes of the frame, which every area shares, by status. */
export const FRAME_PROBLEMS: ProblemTable = {
  400: {
    'didcomm.expired': {
      meaning: 'A DIDComm message came after its expires_time.',
      remedy: 'The sender sends the message again, with a later expires_time or without one.',
    },
    'didcomm.invalid': {
      meaning: 'A DIDComm message breaks a rule of DIDComm v2, or its envelopes contradict each other; see errors.',
      remedy:
        'The sender corrects the member that errors names. from is the DID of skid and of the signature, and to contains the DID of the recipient.',
    },
    'idempotency.key_invalid': {
      meaning: 'The Idempotency-Key is not 1 to 255 printable ASCII characters without spaces.',
      remedy: 'Send a shorter key without spaces, for example a UUID, and the same one with each retry of the request.',
    },
    'jwe.undecryptable': {
      meaning: 'A JWE does not open. Every reason has this code, so that nobody can try out keys or ciphertexts.',
      remedy:
        'Send the JWE unchanged. It must be encrypted to a key agreement key of a DID of the tenant: ECDH-1PU+A256KW with A256CBC-HS512, or ECDH-ES, and at most 100 recipients. The DID of the sender must resolve.',
    },
    'key.agreement_refused': {
      meaning: 'The other public key is not valid for key agreement.',
      remedy: 'Send a public key of the same curve: of X25519 32 bytes, not a point of small order; of P-256 a point.',
    },
    'key.too_many_messages': {
      meaning: 'The document has more statements than a key can sign at once.',
      remedy:
        'A bbs-2023 proof signs at most 200 statements besides the mandatory ones. Shorten the document, or choose another proofType.',
    },
    'key.unsupported': {
      meaning: 'A key of this type does not support the operation.',
      remedy:
        'Choose a proofType that fits the key of the DID, or a DID with another key (createDID, options.keyType).',
    },
    'outbound.bad_answer': {
      meaning: 'The response of a called host is not valid.',
      remedy:
        'The server must send valid, uncompressed HTTP/1.1. The operator of that host corrects it; then send the request again.',
    },
    'outbound.blocked': {
      meaning: 'A host is not on the public internet, and the platform does not call it.',
      remedy:
        'Name a host with a public DNS name and public addresses. For a network of its own, the operator of the platform sets OUTBOUND_ALLOWED_RANGES.',
    },
    'outbound.invalid_request': {
      meaning: 'A request to another host is not valid and was not sent.',
      remedy:
        'The platform makes the headers of such requests, so this is its fault: give the instance to the operator.',
    },
    'outbound.invalid_url': {
      meaning: 'A URL is malformed, or has parts that a called URL must not have.',
      remedy:
        'Send a URL of at most 2,048 characters, without user name, password, spaces, control characters and backslashes.',
    },
    'outbound.not_https': {
      meaning: 'A URL is not https.',
      remedy: 'Send a URL that begins with https://; the server needs a certificate.',
    },
    'outbound.port': {
      meaning: 'The platform does not call the port of a URL.',
      remedy:
        'Leave the port out (443), or use one from 1024 up that no database, queue or control plane commonly uses.',
    },
    'outbound.redirected': {
      meaning: 'A host responded with a redirect; the platform follows none.',
      remedy: 'Send the URL that the redirect leads to.',
    },
    'outbound.tls': {
      meaning: 'The certificate of a host is not valid.',
      remedy:
        'The operator of the host renews the certificate or completes its chain. For a private authority, the operator of the platform sets OUTBOUND_CA_FILE.',
    },
    'outbound.too_large': {
      meaning: 'The response of a called host is too large.',
      remedy:
        'The server must send less: at most 16 KiB of headers, and a body within the limit in the detail (OUTBOUND_MAX_BYTES, where the operation has no limit of its own).',
    },
    'qr_code.too_long': {
      meaning: 'The text is too long for a QR code.',
      remedy:
        'The limit is 1,000 bytes. The text is the public URL of a presentation request, so the operator shortens PUBLIC_URL or the domain of the tenant.',
    },
    'request.duplicate_member': {
      meaning: 'The body has a repeated or a reserved name.',
      remedy: 'Send each name once, and no reserved name; errors names the place and the reserved names.',
    },
    'request.invalid': {
      meaning: 'The request does not match the schema or a rule of the operation; errors names the fields.',
      remedy: 'Correct each field as its message says; /docs shows the schema of the operation.',
    },
    'request.malformed': {
      meaning:
        'The request cannot be read as HTTP: its encoding, length, host or path is wrong, or a header is repeated.',
      remedy:
        'Follow the detail. A request is HTTP/1.1 with one Host header, the correct Content-Length and Content-Encoding, and a path in valid percent-encoding.',
    },
    'request.malformed_json': {
      meaning: 'The body is not JSON.',
      remedy:
        'Send one JSON value (RFC 8259): names and texts in double quotes, no comments, no comma after the last member.',
    },
    'request.not_utf8': {
      meaning: 'The body is not UTF-8.',
      remedy: 'Save the file or encode the body as UTF-8, then send it again.',
    },
    'request.number_out_of_range': {
      meaning: 'A number cannot be read exactly as a double.',
      remedy: 'Send the number as a string, or with at most 15 significant digits.',
    },
    'request.too_deep': {
      meaning: 'The body is nested too deeply.',
      remedy: 'Flatten the body to at most 64 levels.',
    },
    'request.too_many_members': {
      meaning: 'The body has too many members; errors has the limits.',
      remedy: 'Split the request, or shorten its lists and objects.',
    },
    'request.unusable_text': {
      meaning: 'A text contains U+0000 or an unpaired surrogate.',
      remedy: 'Remove the character from the text that errors names, or %00 from the URL.',
    },
  },
  404: {
    'key.not_found': {
      meaning: 'The key does not exist, or was destroyed.',
      remedy: 'Use another DID of getDIDsList, or create one with createDID; a destroyed key does not come back.',
    },
    'request.not_found': {
      meaning: 'No operation has this path.',
      remedy: 'Compare the path and its letter case with /docs.',
    },
  },
  405: {
    'request.method_not_allowed': {
      meaning: 'The path does not support this method.',
      remedy: 'Use a method of the Allow header; /docs shows the method of each operation.',
    },
  },
  408: {
    'request.timeout': {
      meaning: 'The request did not arrive in time.',
      remedy: 'A request must arrive within 30 seconds. Send it again, in smaller parts where the connection is slow.',
    },
  },
  409: {
    'idempotency.in_flight': {
      meaning: 'Another request with this Idempotency-Key is being processed, or finished at the same moment.',
      remedy: 'Repeat the request with the same key after a second: it then gets the stored response, or is processed.',
    },
    'request.conflict': {
      meaning: 'Another request changed the same resource at the same time.',
      remedy: 'Read the resource. If the change is still needed, send the request again.',
    },
  },
  413: {
    'request.too_large': {
      meaning: 'The body or its file is larger than 1 MiB, than 16 KiB for a token, or than 1 GiB for an upload.',
      remedy: 'Shorten the body or split the request; createCredentialBatch takes many credentials in one upload.',
    },
    'workflow.payload_too_large': {
      meaning: 'The request is too large for a workflow.',
      remedy: 'Send fewer items in one request: what a workflow gets may have 2 MB after compression.',
    },
  },
  415: {
    'request.unsupported_media_type': {
      meaning: 'The Content-Type, charset or Content-Encoding of the body is not supported by the operation.',
      remedy:
        'Send application/json in UTF-8. An upload is application/x-ndjson, application/jsonl or text/csv; a token request may be a form, and a PDF template application/zip; a scan is a PNG, JPEG or PDF in multipart/form-data. Compress with gzip, or not at all.',
    },
  },
  422: {
    'idempotency.key_reused': {
      meaning: 'This Idempotency-Key was used with another request.',
      remedy:
        'Use a new key for each new request. A retry has the method, path with query and body of the first request, a token with the same scopes, and for an image its Accept header.',
    },
  },
  429: {
    'request.too_many': {
      meaning: 'There are too many requests from this client or address.',
      remedy:
        'Wait for the seconds in Retry-After. The operator sets RATE_LIMIT_PER_MINUTE (clients), TOKEN_RATE_LIMIT_PER_MINUTE (token requests) and PUBLIC_RATE_LIMIT_PER_MINUTE (public documents).',
    },
    'outbound.too_many_reads': {
      meaning: 'Too many DID documents, contexts and status lists of one domain were read for the tenant.',
      remedy:
        'Wait for the seconds in Retry-After, and repeat the request: what was read is kept for a while. The operator sets OUTBOUND_READS_PER_MINUTE.',
    },
    'request.too_much_work': {
      meaning: 'The tenant has used up its share of computing time, or waits for too much of it.',
      remedy:
        'Wait for the seconds in Retry-After, and send fewer BBS proofs, large documents and QR codes at a time. The operator sets THREAD_BUDGET_MS_PER_MINUTE.',
    },
  },
  431: {
    'request.headers_too_large': {
      meaning: 'The headers are larger than 16 KiB.',
      remedy: 'Send fewer or shorter headers and cookies.',
    },
  },
  500: {
    internal: {
      meaning: 'An unexpected error happened; the log has it under the instance.',
      remedy:
        'Send the request again with the same Idempotency-Key. If it fails again, give the instance to the operator, who finds it in the log as requestId.',
    },
    'key.agreement_unsupported': {
      meaning: 'The key store does not support key agreement for keys of this type.',
      remedy: 'Use an X25519 key for key agreement: that of a did:web, or a did:key with keyType x25519.',
    },
    'key.envelope_refused': {
      meaning: 'A stored key cannot be decrypted: the master key is wrong, or the row was changed.',
      remedy:
        'The operator sets the KEY_STORE_MASTER_KEY under which the key was stored, or restores the row of the key from a backup.',
    },
    'key.invalid_reference': {
      meaning: 'The reference of a key is not valid in any key store.',
      remedy: 'The platform makes these references, so this is its fault: give the instance to the operator.',
    },
  },
  503: {
    'database.unavailable': {
      meaning: 'The database is not available.',
      remedy:
        'Repeat the request after the seconds in Retry-After. If it fails for longer, the operator checks PostgreSQL (DATABASE_URL) and /health/ready.',
    },
    'documents.unavailable': {
      meaning: 'Too many documents wait to be processed.',
      remedy:
        'Repeat the request after the seconds in Retry-After, with fewer documents at a time. The operator adds processors or machines.',
    },
    'key.store_refused': {
      meaning: 'The key store refuses a request of the platform.',
      remedy:
        'The operator checks the login (VAULT_ROLE_ID with VAULT_SECRET_ID, or VAULT_TOKEN) and whether the key and its engine in Vault were changed.',
    },
    'keys.unavailable': {
      meaning: 'The key store is not available, or no longer has the key.',
      remedy:
        'Repeat the request after the seconds in Retry-After. If it fails for longer, the operator checks Vault (VAULT_ADDR) and /health/ready.',
    },
    'mail.unavailable': {
      meaning: 'The platform cannot send mail, and people cannot register without one.',
      remedy: 'The operator sets SMTP_URL and MAIL_FROM, and starts the platform again.',
    },
    'outbound.unavailable': {
      meaning: 'A host that the platform must call is not available.',
      remedy:
        'Repeat the request after the seconds in Retry-After. If it fails again, check the DNS name, the server and the firewall of the host in the detail.',
    },
    'temporal.unavailable': {
      meaning: 'The workflow engine is not available.',
      remedy:
        'Repeat the request after the seconds in Retry-After. If it fails for longer, the operator checks Temporal (TEMPORAL_ADDRESS) and /health/ready.',
    },
  },
}
