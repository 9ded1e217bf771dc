/**
 * What an operation is called in the log (`<name>_SUCCESS`, `<name>_FAIL`) and under which category. Operations that
 * change something write their SUCCESS entry in their own transaction; for the rest, and for failures, the API does.
 */
export interface LoggedOperation {
  name: string
  category: string
  /** The operation writes its own SUCCESS entry. */
  changes?: true
}

export const OPERATIONS: Record<string, LoggedOperation> = {
  getOAuthAccessToken: { name: 'OAUTH_TOKEN_CREATE', category: 'openid' },
  getListOfLogs: { name: 'ANALYTICS_EVENT_RETRIEVE_LIST', category: 'analytics' },
  createDID: { name: 'DID_CREATE', category: 'did', changes: true },
  deleteDID: { name: 'DID_DELETE', category: 'did', changes: true },
  getDIDsList: { name: 'DID_RETRIEVE_LIST', category: 'did' },
  resolveDID: { name: 'DID_RETRIEVE', category: 'did' },
  signWebSemanticCredential: {
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: 'credential-web-semantic',
    changes: true,
  },
  verifyWebSemanticCredentials: { name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY', category: 'credential-web-semantic' },
  listWebSemanticCredentials: { name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE_LIST', category: 'credential-web-semantic' },
  getWebSemanticCredentialDetails: { name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE', category: 'credential-web-semantic' },
  getWebSemanticRevocationStatus: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE',
    category: 'credential-web-semantic',
  },
  setWebSemanticRevocationStatus: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS',
    category: 'credential-web-semantic',
    changes: true,
  },
  setWebSemanticSuspensionStatus: {
    name: 'CREDENTIAL_WEB_SEMANTIC_SUSPENSION_SET_STATUS',
    category: 'credential-web-semantic',
    changes: true,
  },
  webSemanticRevocationStatusNotification: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_PAYLOAD_CREATE',
    category: 'credential-web-semantic',
    changes: true,
  },
  getWebSemanticRevocationStatusNotifications: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_RETRIEVE_LIST',
    category: 'credential-web-semantic',
  },
  getWebSemanticStatusHistory: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE_HISTORY',
    category: 'credential-web-semantic',
  },
  createWebSemanticRevocation: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE',
    category: 'credential-web-semantic',
    changes: true,
  },
  getWebSemanticRevocation: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE_RETRIEVE',
    category: 'credential-web-semantic',
  },
  getWebSemanticCredentialRevocationList: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_RETRIEVE',
    category: 'credential-web-semantic',
  },
  getWebSemanticCredentialTemplateLists: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category: 'credential-web-semantic',
  },
  createWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_CREATE',
    category: 'credential-web-semantic',
    changes: true,
  },
  getWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category: 'credential-web-semantic',
  },
  updateWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_UPDATE',
    category: 'credential-web-semantic',
    changes: true,
  },
  deleteWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_DELETE',
    category: 'credential-web-semantic',
    changes: true,
  },
  signWebSemanticCredentialFromTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: 'credential-web-semantic',
    changes: true,
  },
  createCredentialBatch: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE',
    category: 'credential-web-semantic',
    changes: true,
  },
  listCredentialBatches: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_LIST', category: 'credential-web-semantic' },
  getCredentialBatch: { name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE', category: 'credential-web-semantic' },
  pauseCredentialBatch: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_PAUSE',
    category: 'credential-web-semantic',
    changes: true,
  },
  resumeCredentialBatch: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RESUME',
    category: 'credential-web-semantic',
    changes: true,
  },
  cancelCredentialBatch: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CANCEL',
    category: 'credential-web-semantic',
    changes: true,
  },
  revokeCredentialBatch: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_REVOKE',
    category: 'credential-web-semantic',
    changes: true,
  },
  getCredentialBatchErrors: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_ERRORS',
    category: 'credential-web-semantic',
  },
  getCredentialBatchResults: {
    name: 'CREDENTIAL_WEB_SEMANTIC_BATCH_RETRIEVE_RESULTS',
    category: 'credential-web-semantic',
  },
  listJsonLdContexts: { name: 'LINKED_DATA_CONTEXT_RETRIEVE_LIST', category: 'linked-data' },
  getTenantSettings: { name: 'TENANT_SETTINGS_RETRIEVE', category: 'tenant' },
  updateTenantSettings: { name: 'TENANT_SETTINGS_UPDATE', category: 'tenant', changes: true },
  getWebSemanticPresentationTemplatesLists: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE_LIST',
    category: 'presentation-web-semantic',
  },
  createWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_CREATE',
    category: 'presentation-web-semantic',
    changes: true,
  },
  getWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE',
    category: 'presentation-web-semantic',
  },
  updateWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_UPDATE',
    category: 'presentation-web-semantic',
    changes: true,
  },
  deleteWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_DELETE',
    category: 'presentation-web-semantic',
    changes: true,
  },
  createWebSemanticPresentationRequest: {
    name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_CREATE',
    category: 'presentation-web-semantic',
    changes: true,
  },
  getWebSemanticPresentationRequest: {
    name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_RETRIEVE',
    category: 'presentation-web-semantic',
  },
  verifyWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_VERIFY',
    category: 'credential-presentation',
    changes: true,
  },
  deriveWebSemanticCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE', category: 'credential-web-semantic' },
  vcApiIssueCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_SIGN', category: 'credential-web-semantic', changes: true },
  vcApiIssueCredentialWithProofType: {
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: 'credential-web-semantic',
    changes: true,
  },
  vcApiVerifyCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY', category: 'credential-web-semantic' },
  vcApiDeriveCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE', category: 'credential-web-semantic' },
  vcApiUpdateStatus: {
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS',
    category: 'credential-web-semantic',
    changes: true,
  },
  vcApiVerifyPresentation: { name: 'PRESENTATION_WEB_SEMANTIC_VERIFY', category: 'credential-presentation' },
  vcApiProvePresentation: { name: 'PRESENTATION_WEB_SEMANTIC_SIGN', category: 'presentation-web-semantic' },
  convertLinkedData: { name: 'LINKED_DATA_CONVERT', category: 'linked-data' },
  registerJsonLdContext: { name: 'LINKED_DATA_CONTEXT_REGISTER', category: 'linked-data', changes: true },
}
