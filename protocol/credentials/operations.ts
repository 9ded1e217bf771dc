const category = 'credential-web-semantic'

/** Operations of the engine: status, revocation of many, status lists, batches, as protocol/operations.ts describes them. */
export const CREDENTIAL_OPERATIONS = {
  getWebSemanticRevocationStatus: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE', category },
  setWebSemanticRevocationStatus: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS', category, changes: true },
  setWebSemanticSuspensionStatus: { name: 'CREDENTIAL_WEB_SEMANTIC_SUSPENSION_SET_STATUS', category, changes: true },
  webSemanticRevocationStatusNotification: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_PAYLOAD_CREATE',
    category,
    changes: true,
  },
  getWebSemanticRevocationStatusNotifications: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_RETRIEVE_LIST',
    category,
  },
  getWebSemanticStatusHistory: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE_HISTORY', category },
  createWebSemanticRevocation: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE', category, changes: true },
  getWebSemanticRevocation: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE_RETRIEVE', category },
  getWebSemanticCredentialRevocationList: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE', category },
  createCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE', category, changes: true },
  listCredentialBatches: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_LIST', category },
  getCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE', category },
  pauseCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_PAUSE', category, changes: true },
  resumeCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RESUME', category, changes: true },
  cancelCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CANCEL', category, changes: true },
  revokeCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_REVOKE', category, changes: true },
  getCredentialBatchErrors: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_ERRORS', category },
  getCredentialBatchResults: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_RESULTS', category },
} as const
