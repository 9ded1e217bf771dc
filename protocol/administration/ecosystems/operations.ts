const read = 'platform:read'
const write = 'platform:write'
const category = 'ecosystem'

/**
 * Operations of ecosystems, as protocol/operations.ts describes them. Those that read have no scope here: operators read
 * all with platform:read, and a tenant its own with administration:read.
 */
export const ECOSYSTEM_OPERATIONS = {
  getListOfEcosystems: { operatorScope: read, name: 'ECOSYSTEM_RETRIEVE_LIST', category },
  createEcosystem: { scope: write, name: 'ECOSYSTEM_CREATE', category, changes: true },
  getEcosystem: { operatorScope: read, name: 'ECOSYSTEM_RETRIEVE', category },
  updateEcosystem: { scope: write, name: 'ECOSYSTEM_UPDATE', category, changes: true },
  deleteEcosystem: { scope: write, name: 'ECOSYSTEM_DELETE', category, changes: true },
  getListOfEcosystemParticipants: { operatorScope: read, name: 'ECOSYSTEM_PARTICIPANT_RETRIEVE_LIST', category },
  createEcosystemParticipant: { scope: write, name: 'ECOSYSTEM_PARTICIPANT_CREATE', category, changes: true },
  getEcosystemParticipant: { operatorScope: read, name: 'ECOSYSTEM_PARTICIPANT_RETRIEVE', category },
  updateEcosystemParticipant: { scope: write, name: 'ECOSYSTEM_PARTICIPANT_UPDATE', category, changes: true },
  deleteEcosystemParticipant: { scope: write, name: 'ECOSYSTEM_PARTICIPANT_DELETE', category, changes: true },
  getListOfEcosystemCredentials: { operatorScope: read, name: 'ECOSYSTEM_CREDENTIAL_RETRIEVE_LIST', category },
  createEcosystemCredential: { scope: write, name: 'ECOSYSTEM_CREDENTIAL_CREATE', category, changes: true },
  getEcosystemCredential: { operatorScope: read, name: 'ECOSYSTEM_CREDENTIAL_RETRIEVE', category },
  updateEcosystemCredential: { scope: write, name: 'ECOSYSTEM_CREDENTIAL_UPDATE', category, changes: true },
  deleteEcosystemCredential: { scope: write, name: 'ECOSYSTEM_CREDENTIAL_DELETE', category, changes: true },
  createEcosystemIssuer: { scope: write, name: 'ECOSYSTEM_ISSUER_CREATE', category, changes: true },
  deleteEcosystemIssuer: { scope: write, name: 'ECOSYSTEM_ISSUER_DELETE', category, changes: true },
  createEcosystemVerifier: { scope: write, name: 'ECOSYSTEM_VERIFIER_CREATE', category, changes: true },
  deleteEcosystemVerifier: { scope: write, name: 'ECOSYSTEM_VERIFIER_DELETE', category, changes: true },
  dryRunEcosystemPolicy: { scope: read, name: 'ECOSYSTEM_POLICY_DRY_RUN', category },
  getListOfEcosystemTenants: { scope: read, name: 'ECOSYSTEM_TENANT_RETRIEVE_LIST', category },
  bindEcosystemTenant: { scope: write, name: 'ECOSYSTEM_TENANT_BIND', category, changes: true },
  unbindEcosystemTenant: { scope: write, name: 'ECOSYSTEM_TENANT_UNBIND', category, changes: true },
} as const
