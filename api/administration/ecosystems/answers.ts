import { ISSUER } from '../../frame/openapi/examples.ts'
import type { BindingOut, EcosystemCredentialOut, EcosystemOut, ParticipantOut, PolicyOut } from './wire.ts'

const ECOSYSTEM: EcosystemOut = { id: 'b1f0c8c6-6a55-4d20-9b0e-2d6a3f9f7e11', name: 'Universities of Example' }

export const PARTICIPANT: ParticipantOut = {
  ecosystemId: ECOSYSTEM.id,
  id: '0d3b9a70-5d0a-4f0e-8e52-61f2b7a9c340',
  name: 'Example University',
  identifiers: { webSemantic: ISSUER, compact: ISSUER, compactSemantic: null, mobile: [], sdJwtVc: null },
  isIssuer: true,
  isIssuerConstrained: true,
  isVerified: true,
  isVerifierConstrained: true,
}

export const ECOSYSTEM_CREDENTIAL: EcosystemCredentialOut = {
  ecosystemId: ECOSYSTEM.id,
  id: '6f5a1c2e-1f1b-49c8-a1f5-7c2f4f0f9b22',
  name: 'Diploma',
  profile: 'web-semantic',
  type: 'DiplomaCredential',
}

const POLICY: PolicyOut = {
  credentials: [ECOSYSTEM_CREDENTIAL],
  participants: [
    {
      ...PARTICIPANT,
      isIssuerAllowedCredentials: [ECOSYSTEM_CREDENTIAL.id],
      isVerifierAllowedCredentials: [],
    },
  ],
  policyModifiedAt: '2027-01-31T12:00:00.000Z',
}

const BINDING: BindingOut = {
  ecosystemId: ECOSYSTEM.id,
  tenantId: '5a7d1c0e-93b1-4f27-8a64-0d2f6b7c8e91',
  participantId: PARTICIPANT.id,
}

const page = <Row>(row: Row) => ({ data: [row], limit: 20, totalCount: 1, totalPages: 1 })

/** Answers of every operation; the one participant is a page, as the specification shows it. */
export const ANSWERS = {
  getListOfEcosystems: page(ECOSYSTEM),
  createEcosystem: ECOSYSTEM,
  getEcosystem: ECOSYSTEM,
  updateEcosystem: ECOSYSTEM,
  getListOfEcosystemParticipants: page(PARTICIPANT),
  createEcosystemParticipant: PARTICIPANT,
  getEcosystemParticipant: page(PARTICIPANT),
  updateEcosystemParticipant: PARTICIPANT,
  getListOfEcosystemCredentials: page(ECOSYSTEM_CREDENTIAL),
  createEcosystemCredential: ECOSYSTEM_CREDENTIAL,
  getEcosystemCredential: ECOSYSTEM_CREDENTIAL,
  updateEcosystemCredential: ECOSYSTEM_CREDENTIAL,
  createEcosystemIssuer: ECOSYSTEM_CREDENTIAL,
  createEcosystemVerifier: ECOSYSTEM_CREDENTIAL,
  getEcosystemIssuer: POLICY,
  getEcosystemVerifier: POLICY,
  getEcosystemPolicy: POLICY,
  getListOfEcosystemTenants: page(BINDING),
  bindEcosystemTenant: BINDING,
  dryRunEcosystemPolicy: {
    credentials: [
      { tenantId: BINDING.tenantId, profile: 'web-semantic', types: [ECOSYSTEM_CREDENTIAL.type], count: 512 },
    ],
    templates: [
      {
        tenantId: BINDING.tenantId,
        templateId: '3f1f4f6a-0f5e-4a53-9a0b-0b9d3a6d7c55',
        profile: 'web-semantic',
        types: [ECOSYSTEM_CREDENTIAL.type],
      },
    ],
    verifiers: [],
    atLeast: [],
    notCounted: [],
  },
}
