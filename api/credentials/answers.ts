import { HOLDER, ISSUER, ISSUER_KEY, V2 } from '../frame/openapi/examples.ts'
import { BATCH_EXAMPLE } from './batches/wire.ts'

const LIST_ID = '3c1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
const LIST_URL = `https://platform.example/v1/revocation-lists/${LIST_ID}`
const REQUEST_ID = '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f'
const CREDENTIAL_ID = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
const CREATED_AT = '2027-01-01T00:00:00.000Z'

const list = {
  '@context': [V2],
  id: LIST_URL,
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  issuer: ISSUER,
  validFrom: '2027-01-01T00:00:00Z',
  credentialSubject: {
    id: `${LIST_URL}#list`,
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: 'uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA',
  },
  proof: {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    created: '2027-01-01T00:00:00Z',
    verificationMethod: ISSUER_KEY,
    proofPurpose: 'assertionMethod',
    proofValue: 'z4PAXbE7k2zbj1KE7DbWcT25ESv7XcaU8vYVqGVvVEqhxXrGbfYjiPTrGbrBypJfNMMGWtgEFxonyLjFdc7rmD9fK',
  },
}

const pageOf = (row: object) => ({ data: [row], limit: 20, total_count: 1, total_pages: 1 })

const ended = {
  ...BATCH_EXAMPLE,
  status: 'COMPLETED',
  signed: 19_998,
  pending: 0,
  eta_seconds: undefined,
  ended_at: '2027-01-01T00:00:25.000Z',
}
const { eta_seconds: _, ...completed } = ended

const summary = {
  id: CREDENTIAL_ID,
  format: 'web-semantic',
  url: `/v1/credentials/web-semantic/${CREDENTIAL_ID}`,
  types: ['CourseCredential'],
  state: 'revoked',
  revocable: true,
  suspendable: false,
  issuer: ISSUER,
  tag: 'spring',
  issuance_date: CREATED_AT,
  created_at: CREATED_AT,
  status_changed_at: '2027-01-02T00:00:00.000Z',
  batch_id: BATCH_EXAMPLE.id,
  batch_row: 7,
}

const workflow = `8f6ad0a2-6c1f-4d5b-9c53-2f9d3f0f8c3a/semantic-credentials/batches/${BATCH_EXAMPLE.id}`

const issued = {
  at: CREATED_AT,
  type: 'credential.issued',
  operation: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE',
  client_id: '0f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  request_id: REQUEST_ID,
  workflow_id: workflow,
  workflow_path: `/namespaces/default/workflows/${encodeURIComponent(workflow)}`,
  details: { batch_id: BATCH_EXAMPLE.id, batch_row: 7 },
}

/** A success of each operation of this area that its controller has no example of. */
export const CREDENTIAL_ANSWERS = {
  listCredentials: pageOf(summary),
  searchCredentials: pageOf(summary),
  getCredential: summary,
  getCredentialTimeline: pageOf(issued),
  setWebSemanticRevocationStatus: {},
  setWebSemanticSuspensionStatus: {},
  webSemanticRevocationStatusNotification: {},
  getWebSemanticRevocationStatusNotifications: pageOf({
    id: '4d1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
    to: HOLDER,
    from: ISSUER,
    status: 'SENT',
    created_at: CREATED_AT,
    ended_at: '2027-01-01T00:00:01.000Z',
    request_id: REQUEST_ID,
  }),
  getWebSemanticStatusHistory: pageOf({
    purpose: 'revocation',
    value: true,
    changed_at: CREATED_AT,
    request_id: REQUEST_ID,
  }),
  getWebSemanticCredentialRevocationList: {
    id: LIST_ID,
    credential_id: LIST_URL,
    org_did_id: '8f6ad0a2-6c1f-4d5b-9c53-2f9d3f0f8c3a',
    credential: list,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
  },
  getPublishedStatusList: list,
  listCredentialBatches: pageOf(BATCH_EXAMPLE),
  getCredentialBatch: completed,
  pauseCredentialBatch: {
    ...BATCH_EXAMPLE,
    status: 'PAUSED',
    paused: { code: 'batch.requested', message: 'The batch was paused by a request.' },
  },
  resumeCredentialBatch: BATCH_EXAMPLE,
  cancelCredentialBatch: { ...completed, status: 'CANCELLED', signed: 4_600, pending: 15_398 },
  revokeCredentialBatch: { ...completed, revocation: { status: 'REVOKING', revoked: 0 } },
}
