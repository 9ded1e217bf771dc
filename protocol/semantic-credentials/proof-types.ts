import { isProofType, keyFor, PROOF_TYPES, type ProofType, suiteOf } from '../data-integrity/index.ts'
import type { PublicKeyType } from '../dids/index.ts'
import type { DataModel } from './checks.ts'

/**
 * Proofs that enclose the credential (VC Data Model 2.0, section 4.12), by the media type of what they make, as `typ` of
 * a JWT has it.
 */
export const ENVELOPE_TYPES = ['vc+jwt', 'vc+cose', 'vc+sd-jwt'] as const
export type EnvelopeType = (typeof ENVELOPE_TYPES)[number]

/** The same of presentations (section 4.13). */
export const PRESENTATION_ENVELOPE_TYPES = ['vp+jwt', 'vp+cose', 'vp+sd-jwt'] as const
export type PresentationEnvelopeType = (typeof PRESENTATION_ENVELOPE_TYPES)[number]

export const isPresentationEnvelopeType = (value: unknown): value is PresentationEnvelopeType =>
  (PRESENTATION_ENVELOPE_TYPES as readonly unknown[]).includes(value)

/** How a credential can be signed: with a proof in it, or in an envelope. */
export const CREDENTIAL_PROOF_TYPES = [...PROOF_TYPES, ...ENVELOPE_TYPES] as const
export type CredentialProofType = (typeof CREDENTIAL_PROOF_TYPES)[number]

export const isEnvelopeType = (value: unknown): value is EnvelopeType =>
  (ENVELOPE_TYPES as readonly unknown[]).includes(value)

export const isCredentialProofType = (value: unknown): value is CredentialProofType =>
  isProofType(value) || isEnvelopeType(value)

/** ES256 first, which more verifiers of JOSE and COSE know than EdDSA; ES384 fewer than both. */
export const ENVELOPE_KEYS: PublicKeyType[] = ['p256', 'ed25519', 'p384']

/** The key that a proof type needs of a signer. */
export const credentialKeyFor = (
  proofType: CredentialProofType,
): { keyTypes: PublicKeyType[]; neededBy: string; methodType?: 'Ed25519VerificationKey2018' } =>
  isEnvelopeType(proofType) ? { keyTypes: ENVELOPE_KEYS, neededBy: proofType } : keyFor(proofType)

/** The context that a proof needs in the credential, if that of the data model does not define it. */
export const proofContext = (proofType: CredentialProofType, dataModel: DataModel): string | undefined =>
  isEnvelopeType(proofType) ? undefined : suiteOf(proofType).context?.[dataModel]

/** How a status list that is a credential is signed: with a proof in it, or as a JWT. */
export type ListProofType = ProofType | 'vc+jwt'

export const isListProofType = (value: unknown): value is ListProofType => value === 'vc+jwt' || isProofType(value)

/**
 * The proof of the status list of a credential: one in the list (D-945), or for a tenant that chose so a JWT (D-837),
 * which a key of BBS signatures cannot make. `keyType`: of the key that signs the credential.
 */
export const listProofType = (
  proofType: CredentialProofType,
  { keyType, isEnveloped }: { keyType: PublicKeyType; isEnveloped: boolean },
): ListProofType => {
  if (isEnveloped && ENVELOPE_KEYS.includes(keyType)) return 'vc+jwt'
  if (!isEnvelopeType(proofType)) return proofType
  return keyType === 'ed25519' ? 'eddsa-rdfc-2022' : 'ecdsa-rdfc-2019'
}
