const read = 'mobile-credentials:read'
const write = 'mobile-credentials:write'
const category = 'mobile-credential'

/** Operations of mobile credentials, as protocol/operations.ts describes them. */
export const MOBILE_CREDENTIAL_OPERATIONS = {
  signMobileCredential: { scope: write, name: 'MOBILE_CREDENTIAL_SIGN', category, changes: true },
  verifyMobileCredential: { scope: read, name: 'MOBILE_CREDENTIAL_VERIFY', category },
  listMobileCredentials: { scope: read, name: 'MOBILE_CREDENTIAL_RETRIEVE_LIST', category },
  getMobileCredential: { scope: read, name: 'MOBILE_CREDENTIAL_RETRIEVE', category },
  getMobileCredentialRevocationStatus: { scope: read, name: 'MOBILE_CREDENTIAL_REVOCATION_RETRIEVE', category },
  setMobileCredentialRevocationStatus: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_REVOCATION_SET_STATUS',
    category,
    changes: true,
  },
  listMobileCredentialTemplates: {
    scope: read,
    name: 'MOBILE_CREDENTIAL_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category,
  },
  createMobileCredentialTemplate: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_CREDENTIAL_CONFIGURATION_CREATE',
    category,
    changes: true,
  },
  getMobileCredentialTemplate: {
    scope: read,
    name: 'MOBILE_CREDENTIAL_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category,
  },
  updateMobileCredentialTemplate: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_CREDENTIAL_CONFIGURATION_UPDATE',
    category,
    changes: true,
  },
  createMobileCredentialsIaca: { scope: write, name: 'MOBILE_CREDENTIAL_IACA_CREATE', category, changes: true },
  listMobileCredentialsIacas: { scope: read, name: 'MOBILE_CREDENTIAL_IACA_RETRIEVE_LIST', category },
  getMobileCredentialsIaca: { scope: read, name: 'MOBILE_CREDENTIAL_IACA_RETRIEVE', category },
  updateMobileCredentialsIaca: { scope: write, name: 'MOBILE_CREDENTIAL_IACA_UPDATE', category, changes: true },
  deleteMobileCredentialsIaca: { scope: write, name: 'MOBILE_CREDENTIAL_IACA_DELETE', category, changes: true },
  createMobileCredentialsDocumentSigner: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_CREATE',
    category,
    changes: true,
  },
  listMobileCredentialsDocumentSigners: {
    scope: read,
    name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_RETRIEVE_LIST',
    category,
  },
  getMobileCredentialsDocumentSigner: { scope: read, name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_RETRIEVE', category },
  updateMobileCredentialsDocumentSigner: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_UPDATE',
    category,
    changes: true,
  },
  revokeMobileCredentialsDocumentSigner: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_REVOKE',
    category,
    changes: true,
  },
  deleteMobileCredentialsDocumentSigner: {
    scope: write,
    name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_DELETE',
    category,
    changes: true,
  },
} as const
