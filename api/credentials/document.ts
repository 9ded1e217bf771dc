import { DELIMITERS } from '../../protocol/credentials/batches.csv.ts'
import type { CREDENTIAL_OPERATIONS } from '../../protocol/credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, UNSIGNED } from '../frame/openapi/examples.ts'
import { ref, text } from '../frame/openapi/json.ts'
import { CREDENTIAL_ANSWERS } from './answers.ts'
import { CREDENTIAL_PROBLEMS } from './problems.ts'

/** Cut short. */
const JWT = 'eyJhbGciOiJFUzI1NiIsInR5cCI6InZjK2p3dCJ9.eyJAY29udGV4dCI6WyJodHRwcyJdfQ.c2lnbmF0dXJl'

const line = `${JSON.stringify({ payload: UNSIGNED, proofType: 'eddsa-rdfc-2022' })}\n`

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof CREDENTIAL_OPERATIONS | 'getPublishedStatusList'> = {
  examples: {
    searchCredentials: { subject: HOLDER, state: 'active', limit: 20 },
    setWebSemanticRevocationStatus: { is_revoked: true },
    setWebSemanticSuspensionStatus: { is_suspended: true },
    webSemanticRevocationStatusNotification: { to: [HOLDER] },
    revokeCredentialBatch: { is_revoked: true },
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
    getPublishedStatusList: { 'application/vc+jwt': JWT },
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
    getWebSemanticCredentialRevocationList: { 410: 'status_list.issuer_gone' },
    getPublishedStatusList: { 410: 'status_list.issuer_gone' },
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
    AttestationLevels: {
      type: 'array',
      description: 'Values of OpenID4VCI 1.0, appendix D.2, or of a trust framework.',
      items: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 500 },
      maxItems: 20,
      uniqueItems: true,
      example: ['iso_18045_high'],
    },
  },
  notFound: {
    '/v1/credentials/{id}': 'credential.not_found',
    '/v1/credentials/batches/{id}': 'batch.not_found',
    '/v1/credentials/web-semantic/revocations/{id}': 'revocation.not_found',
    '/v1/credentials/web-semantic/revocation-lists/{id}': 'status_list.not_found',
    '/v1/revocation-lists/{id}': 'status_list.not_found',
  },
  problems: [CREDENTIAL_PROBLEMS],
}
