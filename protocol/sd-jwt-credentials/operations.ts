const read = 'sd-jwt-credentials:read'
const write = 'sd-jwt-credentials:write'
const category = 'credential-sd-jwt-vc'

/** Operations of SD-JWT VC credentials, as protocol/operations.ts describes them. */
export const SD_JWT_CREDENTIAL_OPERATIONS = {
  signSdJwtCredential: { scope: write, name: 'CREDENTIAL_SD_JWT_VC_SIGN', category, changes: true },
  verifySdJwtCredential: { scope: read, name: 'CREDENTIAL_SD_JWT_VC_VERIFY', category },
  listSdJwtCredentials: { scope: read, name: 'CREDENTIAL_SD_JWT_VC_RETRIEVE_LIST', category },
  getSdJwtCredential: { scope: read, name: 'CREDENTIAL_SD_JWT_VC_RETRIEVE', category },
  getSdJwtCredentialRevocationStatus: { scope: read, name: 'CREDENTIAL_SD_JWT_VC_REVOCATION_RETRIEVE', category },
  setSdJwtCredentialRevocationStatus: {
    scope: write,
    name: 'CREDENTIAL_SD_JWT_VC_REVOCATION_SET_STATUS',
    category,
    changes: true,
  },
  listSdJwtCredentialTemplates: {
    scope: read,
    name: 'CREDENTIAL_SD_JWT_VC_CREDENTIAL_CONFIGURATION_RETRIEVE_LIST',
    category,
  },
  createSdJwtCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_SD_JWT_VC_CREDENTIAL_CONFIGURATION_CREATE',
    category,
    changes: true,
  },
  getSdJwtCredentialTemplate: {
    scope: read,
    name: 'CREDENTIAL_SD_JWT_VC_CREDENTIAL_CONFIGURATION_RETRIEVE',
    category,
  },
  updateSdJwtCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_SD_JWT_VC_CREDENTIAL_CONFIGURATION_UPDATE',
    category,
    changes: true,
  },
  deleteSdJwtCredentialTemplate: {
    scope: write,
    name: 'CREDENTIAL_SD_JWT_VC_CREDENTIAL_CONFIGURATION_DELETE',
    category,
    changes: true,
  },
  signSdJwtCredentialFromTemplate: {
    scope: write,
    name: 'CREDENTIAL_SD_JWT_VC_SIGN',
    category,
    changes: true,
  },
} as const
