import type { BindingRecord } from '../../../activities/administration/ecosystems/bindings.ts'
import type { PublishedPolicy } from '../../../activities/administration/ecosystems/published.ts'
import type {
  CredentialRecord,
  EcosystemRecord,
  ParticipantRecord,
} from '../../../activities/administration/ecosystems/rows.ts'
import type { ParticipantInput } from '../../../protocol/administration/ecosystems/participants.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

/** One line of 1 to 255 characters, for people. */
export type EcosystemName = string

/** A DID, or null: credentials of this profile name it by none. */
export type ParticipantDid = string

/** One IACA root certificate (ISO/IEC 18013-5, table B.1) in PEM. */
export type IacaPem = string

/** A DID, or the https address of an issuer, or null. */
export type ParticipantIssuer = string

/** A type of credential as credentials name it; the document type of a mobile credential, the vct of an SD-JWT VC. */
export type EcosystemCredentialType = string

/** The format of a credential. */
export type EcosystemProfile = 'web-semantic' | 'compact' | 'compact-semantic' | 'mobile' | 'sd-jwt-vc'

export interface EcosystemIn {
  name: EcosystemName
}

export interface EcosystemOut {
  id: Uuid
  name: string
}

export interface EcosystemPageOut {
  data: EcosystemOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** How credentials name the participant, by profile. */
export interface ParticipantIdentifiersIn {
  webSemantic?: ParticipantDid | null
  compact?: ParticipantDid | null
  compactSemantic?: ParticipantDid | null
  /** Its IACAs, each key once. */
  mobile?: IacaPem[] | null
  /** Of SD-JWT VC credentials that no certificate signs: its DID or address. Its IACAs count for those with certificates. */
  sdJwtVc?: ParticipantIssuer | null
}

export interface ParticipantIn {
  name: EcosystemName
  identifiers: ParticipantIdentifiersIn
  isIssuer: boolean
  /** true: it issues only credentials that createEcosystemIssuer allowed. */
  isIssuerConstrained: boolean
  isVerifier: boolean
  /** true: it verifies only credentials that createEcosystemVerifier allowed. */
  isVerifierConstrained: boolean
}

export interface ParticipantIdentifiersOut {
  webSemantic: string | null
  compact: string | null
  compactSemantic: string | null
  mobile: string[]
  sdJwtVc: string | null
}

export interface ParticipantOut {
  ecosystemId: Uuid
  id: Uuid
  name: string
  identifiers: ParticipantIdentifiersOut
  isIssuer: boolean
  isIssuerConstrained: boolean
  /** Whether it is a verifier: `isVerifier` of a request. */
  isVerified: boolean
  isVerifierConstrained: boolean
}

export interface ParticipantPageOut {
  data: ParticipantOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface EcosystemCredentialIn {
  name: EcosystemName
  profile: EcosystemProfile
  type: EcosystemCredentialType
}

export interface EcosystemCredentialOut {
  ecosystemId: Uuid
  id: Uuid
  name: string
  profile: EcosystemProfile
  type: string
}

export interface EcosystemCredentialPageOut {
  data: EcosystemCredentialOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface AllowanceIn {
  /** A credential of the ecosystem. */
  credentialId: Uuid
}

export interface PolicyParticipantOut extends ParticipantOut {
  /** Ids of the credentials that it may issue while it is constrained. */
  isIssuerAllowedCredentials: Uuid[]
  /** Ids of the credentials that it may verify while it is constrained. */
  isVerifierAllowedCredentials: Uuid[]
}

export interface PolicyOut {
  credentials: EcosystemCredentialOut[]
  participants: PolicyParticipantOut[]
  /** Moves with every change that this policy shows. */
  policyModifiedAt: DateTime
}

export interface BindingIn {
  /** The participant that the tenant verifies as; null or absent: it verifies nothing. */
  participantId?: Uuid | null
}

export interface BindingOut {
  ecosystemId: Uuid
  tenantId: Uuid
  participantId: Uuid | null
}

export interface BindingPageOut {
  data: BindingOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const ecosystemToWire = ({ id, name }: EcosystemRecord): EcosystemOut => ({ id, name })

export const participantToInput = (body: ParticipantIn): ParticipantInput => ({
  name: body.name,
  identifiers: body.identifiers,
  isIssuer: body.isIssuer,
  isIssuerConstrained: body.isIssuerConstrained,
  isVerifier: body.isVerifier,
  isVerifierConstrained: body.isVerifierConstrained,
})

export const participantToWire = (record: ParticipantRecord): ParticipantOut => ({
  ecosystemId: record.ecosystemId,
  id: record.id,
  name: record.name,
  identifiers: record.identifiers,
  isIssuer: record.isIssuer,
  isIssuerConstrained: record.isIssuerConstrained,
  isVerified: record.isVerifier,
  isVerifierConstrained: record.isVerifierConstrained,
})

export const credentialToWire = ({
  ecosystemId,
  id,
  name,
  profile,
  type,
}: CredentialRecord): EcosystemCredentialOut => ({
  ...{ ecosystemId, id, name, profile, type },
})

export const bindingToWire = ({ ecosystemId, tenantId, participantId }: BindingRecord): BindingOut => ({
  ...{ ecosystemId, tenantId, participantId },
})

export const policyToWire = ({ credentials, participants, policyModifiedAt }: PublishedPolicy): PolicyOut => ({
  credentials: credentials.map(credentialToWire),
  participants: participants.map((participant) => ({
    ...participantToWire(participant),
    isIssuerAllowedCredentials: participant.issuerAllowedCredentials,
    isVerifierAllowedCredentials: participant.verifierAllowedCredentials,
  })),
  policyModifiedAt: policyModifiedAt.toISOString(),
})
