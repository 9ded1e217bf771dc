const read = 'semantic-credentials:read'
const write = 'semantic-credentials:write'
const credential = 'credential-web-semantic'
const linkedData = 'linked-data'
const presentation = 'presentation-web-semantic'

/** Operations of W3C credentials and presentations, as protocol/operations.ts describes them. */
export const SEMANTIC_CREDENTIAL_OPERATIONS = {
  signWebSemanticCredential: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: credential,
    changes: true,
  },
  verifyWebSemanticCredentials: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY',
    category: credential,
  },
  listWebSemanticCredentials: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE_LIST',
    category: credential,
  },
  getWebSemanticCredentialDetails: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_RETRIEVE',
    category: credential,
  },
  getWebSemanticCredentialTemplateLists: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category: credential,
  },
  createWebSemanticCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_CREATE',
    category: credential,
    changes: true,
  },
  getWebSemanticCredentialTemplate: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category: credential,
  },
  updateWebSemanticCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_UPDATE',
    category: credential,
    changes: true,
  },
  deleteWebSemanticCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_DELETE',
    category: credential,
    changes: true,
  },
  signWebSemanticCredentialFromTemplate: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: credential,
    changes: true,
  },
  listJsonLdContexts: {
    scope: read,
    name: 'LINKED_DATA_CONTEXT_RETRIEVE_LIST',
    category: linkedData,
  },
  getWebSemanticPresentationTemplatesLists: {
    scope: read,
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE_LIST',
    category: presentation,
  },
  createWebSemanticPresentationTemplate: {
    scope: write,
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_CREATE',
    category: presentation,
    changes: true,
  },
  getWebSemanticPresentationTemplate: {
    scope: read,
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_RETRIEVE',
    category: presentation,
  },
  updateWebSemanticPresentationTemplate: {
    scope: write,
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_UPDATE',
    category: presentation,
    changes: true,
  },
  deleteWebSemanticPresentationTemplate: {
    scope: write,
    name: 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_DELETE',
    category: presentation,
    changes: true,
  },
  createWebSemanticPresentationRequest: {
    scope: write,
    name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_CREATE',
    category: presentation,
    changes: true,
  },
  getWebSemanticPresentationRequest: {
    scope: read,
    name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_RETRIEVE',
    category: presentation,
  },
  verifyWebSemanticPresentationTemplate: {
    scope: read,
    name: 'PRESENTATION_WEB_SEMANTIC_VERIFY',
    category: 'credential-presentation',
    changes: true,
  },
  deriveWebSemanticCredential: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE',
    category: credential,
  },
  vcApiIssueCredential: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: credential,
    changes: true,
  },
  vcApiIssueCredentialWithProofType: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
    category: credential,
    changes: true,
  },
  vcApiVerifyCredential: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_VERIFY',
    category: credential,
  },
  vcApiDeriveCredential: {
    scope: read,
    name: 'CREDENTIAL_WEB_SEMANTIC_DERIVE',
    category: credential,
  },
  vcApiUpdateStatus: {
    scope: write,
    name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS',
    category: credential,
    changes: true,
  },
  vcApiVerifyPresentation: {
    scope: read,
    name: 'PRESENTATION_WEB_SEMANTIC_VERIFY',
    category: 'credential-presentation',
  },
  vcApiProvePresentation: {
    scope: write,
    name: 'PRESENTATION_WEB_SEMANTIC_SIGN',
    category: presentation,
  },
  convertLinkedData: { scope: read, name: 'LINKED_DATA_CONVERT', category: linkedData },
  registerJsonLdContext: {
    scope: write,
    name: 'LINKED_DATA_CONTEXT_REGISTER',
    category: linkedData,
    changes: true,
  },
} as const
