import type { CREDENTIAL_OPERATIONS } from '../../protocol/credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, UNSIGNED } from '../frame/openapi/examples.ts'
import { ref, text } from '../frame/openapi/json.ts'
import { CREDENTIAL_ANSWERS } from './answers.ts'
import { DELIMITERS } from './batches/wire.ts'

const line = `${JSON.stringify({ payload: UNSIGNED, proofType: 'eddsa-rdfc-2022' })}\n`

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof CREDENTIAL_OPERATIONS | 'getPublishedStatusList'> = {
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
    getCredentialBatchErrors: {
      'application/x-ndjson':
        '{"row":2,"field":"payload.issuer.id","code":"credential.issuer_unknown","rule":"issuer","message":"expected a DID of /v1/dids"}\n',
      'text/csv':
        'row,field,code,rule,message\n2,payload.issuer.id,credential.issuer_unknown,issuer,expected a DID of /v1/dids\n',
    },
    getCredentialBatchResults: {
      'application/x-ndjson': `{"row":1,"id":"2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8","credential":${JSON.stringify(UNSIGNED)}}\n`,
    },
  },
  answers: CREDENTIAL_ANSWERS,
  parameters: {
    createCredentialBatch: {
      delimiter: { type: 'string', enum: [...DELIMITERS], default: ',' },
      type: { type: 'array', items: ref('CredentialType') },
      context: { type: 'array', items: text(2048, 1) },
      tag: text(255),
    },
  },
  refusals: {
    createCredentialBatch: {
      400: 'batch.empty',
      404: 'credential_template.not_found',
      409: 'batch.too_many',
      413: 'batch.too_many_rows',
    },
    pauseCredentialBatch: { 409: 'batch.ended' },
    resumeCredentialBatch: { 409: 'batch.ended' },
    cancelCredentialBatch: { 409: 'batch.ended' },
    revokeCredentialBatch: { 409: 'batch.not_ended' },
    createWebSemanticRevocation: { 404: 'batch.not_found', 409: 'batch.not_ended' },
    setWebSemanticRevocationStatus: { 400: 'credential.not_revocable' },
    setWebSemanticSuspensionStatus: { 400: 'credential.not_suspendable' },
    webSemanticRevocationStatusNotification: { 429: 'notification.too_many' },
  },
  schemas: {
    BulkRevocation: { type: 'boolean', enum: [true] },
  },
  notFound: {
    '/v1/credentials/batches/{id}': 'batch.not_found',
    '/v1/credentials/web-semantic/revocations/{id}': 'revocation.not_found',
    '/v1/credentials/web-semantic/revocation-lists/{id}': 'status_list.not_found',
    '/v1/revocation-lists/{id}': 'status_list.not_found',
  },
  problems: {
    400: {
      'batch.csv_header': 'The header line of the CSV is not valid; errors names the columns.',
      'batch.csv_invalid': 'The CSV cannot be read; errors names the line.',
      'batch.empty': 'The upload has no rows.',
      'credential.issuer_key_unfit': 'The issuer has no key of the type that the proof type needs.',
      'credential.issuer_not_ready': "The issuer's registration has not completed.",
      'credential.issuer_unknown': 'The issuer is not a DID of this tenant.',
      'credential.not_revocable': 'The credential has no status entry: it was not signed as revocable.',
      'credential.not_suspendable':
        'The credential has no status entry for suspension: it was not signed as suspendable.',
      'status_list.full': 'The status list has no free entry.',
      'status_list.index_out_of_range': 'The status index is outside the range of its list.',
      'status_list.malformed': 'The status list, or the entry that points to it, is malformed.',
      'status_list.mismatch': 'The status list is not the one that the credential names, or another issuer signed it.',
      'status_list.not_verified': 'The proof of the status list does not verify.',
      'status_list.purpose_unsupported': 'This kind of status list does not support the purpose.',
      'status_list.size': 'The size of the status list is not supported.',
      'status_list.too_large': 'The status list is too large when decompressed.',
      'status_list.too_short': 'The status list has too few entries to protect the privacy of holders.',
      'status_list.unavailable': 'The status list could not be fetched.',
      'status_list.unsupported': 'The kind of credential status is not supported.',
    },
    404: {
      'batch.not_found': 'The tenant has no such batch.',
      'credential.not_found': 'The tenant has no such credential.',
      'revocation.not_found': 'The tenant has no such bulk revocation.',
      'status_list.not_found': 'There is no such status list.',
    },
    409: {
      'batch.ended': 'The batch has ended; it cannot be paused, resumed or cancelled.',
      'batch.not_ended': 'The batch is still being signed; wait for its end, or cancel it.',
      'credential.issuer_not_chosen':
        'No issuer is named, and the tenant has no default issuer that fits; errors lists DIDs.',
      'batch.too_many': 'The tenant has too many running batches; wait until one ends.',
      'status_list.issuer_gone': 'The DID of the issuer was deleted, so the status list can no longer be signed.',
    },
    413: {
      'batch.too_many_rows': 'The upload has more rows than a batch may have.',
    },
    429: {
      'notification.too_many':
        'Too many notifications for a recipient or its host; retry after the time in Retry-After.',
    },
  },
}
