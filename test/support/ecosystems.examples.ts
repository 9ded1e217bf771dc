import { kind, newDid, participant } from './ecosystems.ts'
import type { Example } from './frame/examples/particular.ts'
import type { Sample } from './frame/examples/sample.ts'

const ofEcosystem = ({ ecosystemId }: Sample) => ({ ecosystemId })
const ofParticipant = ({ ecosystemId, ecosystemParticipantId }: Sample) => ({
  ecosystemId,
  participantId: ecosystemParticipantId,
})
const ofCredential = ({ ecosystemId, ecosystemCredentialId }: Sample) => ({
  ecosystemId,
  credentialId: ecosystemCredentialId,
})
const ofAllowance = (sample: Sample) => ({ ...ofParticipant(sample), credentialId: sample.allowedCredentialId })
const allowing: Example = {
  path: ofParticipant,
  body: ({ ecosystemCredentialId }) => ({ credentialId: ecosystemCredentialId }),
}

/** Requests of operators that succeed. */
export const ECOSYSTEM_EXAMPLES: Record<string, Example> = {
  getEcosystem: { path: ofEcosystem },
  updateEcosystem: { path: ofEcosystem },
  deleteEcosystem: { path: ({ spareEcosystemId: ecosystemId }) => ({ ecosystemId }) },
  getListOfEcosystemParticipants: { path: ofEcosystem },
  createEcosystemParticipant: {
    path: ofEcosystem,
    body: () =>
      participant({ identifiers: { webSemantic: newDid(), compact: null, compactSemantic: null, mobile: [] } }),
  },
  getEcosystemParticipant: { path: ofParticipant },
  updateEcosystemParticipant: {
    path: ofParticipant,
    body: ({ ecosystemDid }) => participant({ identifiers: { webSemantic: ecosystemDid } }),
  },
  deleteEcosystemParticipant: {
    path: ({ ecosystemId, spareParticipantId: participantId }) => ({ ecosystemId, participantId }),
  },
  getListOfEcosystemCredentials: { path: ofEcosystem },
  createEcosystemCredential: { path: ofEcosystem, body: () => kind() },
  getEcosystemCredential: { path: ofCredential },
  updateEcosystemCredential: { path: ofCredential, body: () => kind() },
  deleteEcosystemCredential: {
    path: ({ ecosystemId, spareEcosystemCredentialId: credentialId }) => ({ ecosystemId, credentialId }),
  },
  getEcosystemIssuer: { path: ofEcosystem },
  getEcosystemVerifier: { path: ofEcosystem },
  getEcosystemPolicy: { path: ofEcosystem },
  createEcosystemIssuer: allowing,
  createEcosystemVerifier: allowing,
  deleteEcosystemIssuer: { path: ofAllowance },
  deleteEcosystemVerifier: { path: ofAllowance },
  getListOfEcosystemTenants: { path: ofEcosystem },
  dryRunEcosystemPolicy: {
    path: ofEcosystem,
    body: ({ ecosystemParticipantId: participantId }) => ({
      changes: [{ change: 'removeRole', role: 'issuer', participantId }],
    }),
  },
  bindEcosystemTenant: {
    path: ({ ecosystemId, boundTenantId: tenantId }) => ({ ecosystemId, tenantId }),
    body: ({ ecosystemParticipantId }) => ({ participantId: ecosystemParticipantId }),
  },
  unbindEcosystemTenant: {
    path: ({ ecosystemId, spareBoundTenantId: tenantId }) => ({ ecosystemId, tenantId }),
  },
}
