const credential = 'credential-web-semantic'
const linkedData = 'linked-data'
const presentation = 'presentation-web-semantic'

/** Operations of W3C credentials and presentations, as protocol/operations.ts describes them. */
export const SEMANTIC_CREDENTIAL_OPERATIONS = {
  signWebSemanticCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_SIGN', category: credential, changes: true },
  verifyWebSemanticCredentials: { name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY', category: credential },
  listWebSemanticCredentials: { name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE_LIST', category: credential },
  getWebSemanticCredentialDetails: { name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE', category: credential },
  getWebSemanticCredentialTemplateLists: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category: credential,
  },
  createWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_CREATE',
    category: credential,
    changes: true,
  },
  getWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category: credential,
  },
  updateWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_UPDATE',
    category: credential,
    changes: true,
  },
  deleteWebSemanticCredentialTemplate: {
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_DELETE',
    category: credential,
    changes: true,
  },
  signWebSemanticCredentialFromTemplate: { name: 'CREDENTIAL_WEB_SEMANTIC_SIGN', category: credential, changes: true },
  listJsonLdContexts: { name: 'LINKED_DATA_CONTEXT_RETRIEVE_LIST', category: linkedData },
  getWebSemanticPresentationTemplatesLists: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE_LIST',
    category: presentation,
  },
  createWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_CREATE',
    category: presentation,
    changes: true,
  },
  getWebSemanticPresentationTemplate: { name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE', category: presentation },
  updateWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_UPDATE',
    category: presentation,
    changes: true,
  },
  deleteWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_DELETE',
    category: presentation,
    changes: true,
  },
  createWebSemanticPresentationRequest: {
    name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_CREATE',
    category: presentation,
    changes: true,
  },
  getWebSemanticPresentationRequest: { name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_RETRIEVE', category: presentation },
  verifyWebSemanticPresentationTemplate: {
    name: 'PRESENTATION_WEB_SEMANTIC_VERIFY',
    category: 'credential-presentation',
    changes: true,
  },
  deriveWebSemanticCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE', category: credential },
  vcApiIssueCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_SIGN', category: credential, changes: true },
  vcApiIssueCredentialWithProofType: { name: 'CREDENTIAL_WEB_SEMANTIC_SIGN', category: credential, changes: true },
  vcApiVerifyCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY', category: credential },
  vcApiDeriveCredential: { name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE', category: credential },
  vcApiUpdateStatus: { name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS', category: credential, changes: true },
  vcApiVerifyPresentation: { name: 'PRESENTATION_WEB_SEMANTIC_VERIFY', category: 'credential-presentation' },
  vcApiProvePresentation: { name: 'PRESENTATION_WEB_SEMANTIC_SIGN', category: presentation },
  convertLinkedData: { name: 'LINKED_DATA_CONVERT', category: linkedData },
  registerJsonLdContext: { name: 'LINKED_DATA_CONTEXT_REGISTER', category: linkedData, changes: true },
} as const
