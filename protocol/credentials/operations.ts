const read = 'semantic-credentials:read'
const write = 'semantic-credentials:write'
const category = 'credential-web-semantic'

/**
 * Operations of the engine: status, bulk revocation, status lists, batches, as protocol/operations.ts describes them.
 */
export const CREDENTIAL_OPERATIONS = {
  // the scope is that of the credentials' format
  listCredentials: { name: 'CREDENTIAL_RETRIEVE_LIST', category: 'credential' },
  searchCredentials: { name: 'CREDENTIAL_SEARCH', category: 'credential' },
  getCredential: { name: 'CREDENTIAL_RETRIEVE', category: 'credential' },
  getCredentialTimeline: { name: 'CREDENTIAL_RETRIEVE_TIMELINE', category: 'credential' },
  getWebSemanticRevocationStatus: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE',
    category,
  },
  setWebSemanticRevocationStatus: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS',
    category,
    changes: true,
  },
  setWebSemanticSuspensionStatus: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_SUSPENSION_SET_STATUS',
    category,
    changes: true,
  },
  webSemanticRevocationStatusNotification: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_PAYLOAD_CREATE',
    category,
    changes: true,
  },
  getWebSemanticRevocationStatusNotifications: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_RETRIEVE_LIST',
    category,
  },
  getWebSemanticStatusHistory: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE_HISTORY',
    category,
  },
  createWebSemanticRevocation: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE',
    category,
    changes: true,
  },
  getWebSemanticRevocation: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE_RETRIEVE',
    category,
  },
  getWebSemanticCredentialRevocationList: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE',
    category,
  },
  createCredentialBatch: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE',
    category,
    changes: true,
  },
  listCredentialBatches: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_LIST',
    category,
  },
  getCredentialBatch: { scope: read, name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE', category },
  pauseCredentialBatch: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_PAUSE',
    category,
    changes: true,
  },
  resumeCredentialBatch: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RESUME',
    category,
    changes: true,
  },
  cancelCredentialBatch: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CANCEL',
    category,
    changes: true,
  },
  revokeCredentialBatch: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_REVOKE',
    category,
    changes: true,
  },
  getCredentialBatchErrors: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_ERRORS',
    category,
  },
  getCredentialBatchResults: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_RESULTS',
    category,
  },
} as const
