import type { CREDENTIAL_OPERATIONS } from '../../protocol/credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, UNSIGNED } from '../frame/openapi/examples.ts'

const line = `${JSON.stringify({ payload: UNSIGNED, proofType: 'eddsa-rdfc-2022' })}\n`

/** What the generator cannot say of the operations of this area (api/frame/openapi/document.ts). */
export const CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof CREDENTIAL_OPERATIONS> = {
  examples: {
    setWebSemanticRevocationStatus: { is_revoked: true },
    setWebSemanticSuspensionStatus: { is_suspended: true },
    webSemanticRevocationStatusNotification: { to: [HOLDER] },
    createWebSemanticRevocation: { by: 'issuer', id: ISSUER, is_revoked: true },
  },
  located: ['createCredentialBatch', 'revokeCredentialBatch', 'createWebSemanticRevocation'],
  uploads: {
    createCredentialBatch: {
      description:
        "One row per line. JSON lines: the members of signWebSemanticCredential's body. CSV: a header line that names the claims.",
      examples: {
        'application/x-ndjson': line,
        'application/jsonl': line,
        'text/csv': `id,course,score:number,$tag\n${HOLDER},CS-101,1.3,spring\n`,
      },
    },
  },
  downloads: {
    getCredentialBatchErrors: ['application/x-ndjson', 'text/csv'],
    getCredentialBatchResults: ['application/x-ndjson'],
  },
  notFound: {
    '/v1/credentials/batches/{id}': 'no such batch',
    '/v1/credentials/web-semantic/revocations/{id}': 'no such revocation',
    '/v1/credentials/web-semantic/revocation-lists/{id}': 'no such list',
    '/v1/revocation-lists/{id}': 'no such list',
  },
  problems: {
    400: {
      'batch.csv_header': 'The header line of a CSV does not name claims; errors names the columns.',
      'batch.csv_invalid': 'A CSV cannot be read; errors names the line.',
      'batch.empty': 'An upload holds no row.',
      'credential.issuer_key_unfit': 'The issuer holds no key that the proof type needs.',
      'credential.issuer_not_ready': "The issuer's registration has not completed.",
      'credential.issuer_unknown': 'The issuer is not a DID of this tenant.',
      'credential.not_revocable': 'The credential was signed without a status.',
      'credential.not_suspendable': 'The credential was signed without the entry that it is suspended by.',
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
    },
    404: {
      'batch.not_found': 'There is no such batch in this tenant.',
      'credential.not_found': 'There is no such credential in this tenant.',
      'revocation.not_found': 'There is no such revocation of many in this tenant.',
      'status_list.not_found': 'There is no such status list.',
    },
    409: {
      'batch.ended': 'The batch has ended; there is nothing left to steer.',
      'batch.not_ended': 'The batch is still being signed; wait for its end, or cancel it.',
      'batch.too_many': 'Too many batches of the tenant are under way.',
      'status_list.issuer_gone': 'The issuer of the status list was deleted; it cannot be signed any more.',
    },
    413: {
      'batch.too_many_rows': 'A batch has more rows than one may.',
    },
    429: {
      'notification.too_many': 'Too many notifications for a recipient or its host; Retry-After says when to go on.',
    },
  },
}
