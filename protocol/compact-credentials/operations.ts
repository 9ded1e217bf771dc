const read = 'compact-credentials:read'
const write = 'compact-credentials:write'
const compact = 'credential-compact'
const semantic = 'credential-compact-semantic'

/** Operations of compact and compact-semantic credentials, as protocol/operations.ts describes them. */
export const COMPACT_CREDENTIAL_OPERATIONS = {
  signCompactCredential: { scope: write, name: 'CREDENTIAL_COMPACT_SIGN', category: compact, changes: true },
  verifyCompactCredential: { scope: read, name: 'CREDENTIAL_COMPACT_VERIFY', category: compact },
  listCompactCredentials: { scope: read, name: 'CREDENTIAL_COMPACT_RETRIEVE_LIST', category: compact },
  getCompactCredential: { scope: read, name: 'CREDENTIAL_COMPACT_RETRIEVE', category: compact },
  signCompactSemanticCredential: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_SIGN',
    category: semantic,
    changes: true,
  },
  verifyCompactSemanticCredential: { scope: read, name: 'CREDENTIAL_COMPACT_SEMANTIC_VERIFY', category: semantic },
  listCompactSemanticCredentials: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_RETRIEVE_LIST',
    category: semantic,
  },
  getCompactSemanticCredential: { scope: read, name: 'CREDENTIAL_COMPACT_SEMANTIC_RETRIEVE', category: semantic },
  getCompactCredentialRevocationStatus: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_REVOCATION_RETRIEVE',
    category: compact,
  },
  setCompactCredentialRevocationStatus: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_REVOCATION_SET_STATUS',
    category: compact,
    changes: true,
  },
  getCompactSemanticCredentialRevocationStatus: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_REVOCATION_RETRIEVE',
    category: semantic,
  },
  setCompactSemanticCredentialRevocationStatus: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_REVOCATION_SET_STATUS',
    category: semantic,
    changes: true,
  },
  getCompactCredentialQRCode: { scope: read, name: 'CREDENTIAL_COMPACT_QRCODE_CREATE', category: compact },
  getCompactSemanticCredentialQRCode: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_QRCODE_CREATE',
    category: semantic,
  },
  getCompactSchemas: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category: compact,
  },
  createCompactCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_CREDENTIAL_CONFIGURATION_CREATE',
    category: compact,
    changes: true,
  },
  getCompactCredentialTemplate: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category: compact,
  },
  updateCompactCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_CREDENTIAL_CONFIGURATION_UPDATE',
    category: compact,
    changes: true,
  },
  signCompactCredentialFromTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SIGN',
    category: compact,
    changes: true,
  },
  getCompactSemanticCredentialTemplates: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category: semantic,
  },
  createCompactSemanticCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_CREDENTIAL_CONFIGURATION_CREATE',
    category: semantic,
    changes: true,
  },
  getCompactSemanticCredentialTemplate: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category: semantic,
  },
  updateCompactSemanticCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_CREDENTIAL_CONFIGURATION_UPDATE',
    category: semantic,
    changes: true,
  },
  signCompactSemanticCredentialFromTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_SEMANTIC_SIGN',
    category: semantic,
    changes: true,
  },
  createCompactCredentialPdf: { scope: read, name: 'CREDENTIAL_COMPACT_PDF_CREATE', category: compact },
  listCompactCredentialPdfTemplates: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_PDF_TEMPLATE_RETRIEVE_LIST',
    category: compact,
  },
  createCompactCredentialPdfTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_PDF_TEMPLATE_CREATE',
    category: compact,
    changes: true,
  },
  getCompactCredentialPdfTemplateById: {
    scope: read,
    name: 'CREDENTIAL_COMPACT_PDF_TEMPLATE_RETRIEVE',
    category: compact,
  },
  updateCompactCredentialPdfTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_PDF_TEMPLATE_UPDATE',
    category: compact,
    changes: true,
  },
  deleteCompactCredentialPdfTemplate: {
    scope: write,
    name: 'CREDENTIAL_COMPACT_PDF_TEMPLATE_DELETE',
    category: compact,
    changes: true,
  },
} as const
