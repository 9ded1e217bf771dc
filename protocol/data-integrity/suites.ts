import { CONTEXT } from '../contexts/index.ts'
import type { PublicKeyType } from '../dids/index.ts'

/** Values of the sign operation's `proofType`. */
export const PROOF_TYPES = [
  'Ed25519Signature2018',
  'BbsSignature2022',
  'eddsa-rdfc-2022',
  'eddsa-2022',
  'ecdsa-rdfc-2019',
  'bbs-2023',
  'eddsa-jcs-2022',
  'ecdsa-jcs-2019',
  'ecdsa-sd-2023',
  'Ed25519Signature2020',
] as const
export type ProofType = (typeof PROOF_TYPES)[number]

export const isProofType = (value: unknown): value is ProofType => (PROOF_TYPES as readonly unknown[]).includes(value)

export interface Suite {
  /** `type` and `cryptosuite` of the proof. */
  type: string
  cryptosuite?: string
  /** Key types of the suite; we sign with the first that a signer has. */
  keyTypes: PublicKeyType[]
  /**
   * Form of the signature in the proof: `jws` is a detached JWS (RFC 7797), `proofValue` multibase. `bbs` and `sd` are
   * CBOR: a base proof for the holder, from which proofs with selective disclosure are derived.
   */
  signature: 'jws' | 'proofValue' | 'bbs' | 'sd'
  /** What is hashed: statements (RDF Dataset Canonicalization), or the JSON itself (RFC 8785). Default: statements. */
  canonical?: 'jcs'
  /** Context that defines the proof's terms if that of the data model does not. */
  context?: { '1.1'?: string; '2.0'?: string }
}

const dataIntegrity = (cryptosuite: string, keyTypes: PublicKeyType[], signature: Suite['signature']): Suite => ({
  type: 'DataIntegrityProof',
  cryptosuite,
  keyTypes,
  signature,
  context: { '1.1': CONTEXT.dataIntegrityV2 },
})

const BBS_2023 = dataIntegrity('bbs-2023', ['bls12381g2'], 'bbs')
const EDDSA_RDFC_2022 = dataIntegrity('eddsa-rdfc-2022', ['ed25519'], 'proofValue')
const EDDSA_2022 = dataIntegrity('eddsa-2022', ['ed25519'], 'proofValue')
const ECDSA_RDFC_2019 = dataIntegrity('ecdsa-rdfc-2019', ['p256', 'p384'], 'proofValue')
const ED25519_2018: Suite = {
  type: 'Ed25519Signature2018',
  keyTypes: ['ed25519'],
  signature: 'jws',
  context: { '2.0': CONTEXT.ed25519Signature2018 },
}
const ED25519_2020: Suite = {
  type: 'Ed25519Signature2020',
  keyTypes: ['ed25519'],
  signature: 'proofValue',
  context: { '1.1': CONTEXT.ed25519Signature2020, '2.0': CONTEXT.ed25519Signature2020 },
}
const EDDSA_JCS_2022: Suite = { ...dataIntegrity('eddsa-jcs-2022', ['ed25519'], 'proofValue'), canonical: 'jcs' }
const ECDSA_JCS_2019: Suite = { ...dataIntegrity('ecdsa-jcs-2019', ['p256', 'p384'], 'proofValue'), canonical: 'jcs' }
const ECDSA_SD_2023 = dataIntegrity('ecdsa-sd-2023', ['p256'], 'sd')

/** `BbsSignature2022` has no published specification and is signed as `bbs-2023`. */
const BY_PROOF_TYPE: Record<ProofType, Suite> = {
  Ed25519Signature2018: ED25519_2018,
  BbsSignature2022: BBS_2023,
  'eddsa-rdfc-2022': EDDSA_RDFC_2022,
  'eddsa-2022': EDDSA_2022,
  'ecdsa-rdfc-2019': ECDSA_RDFC_2019,
  'bbs-2023': BBS_2023,
  'eddsa-jcs-2022': EDDSA_JCS_2022,
  'ecdsa-jcs-2019': ECDSA_JCS_2019,
  'ecdsa-sd-2023': ECDSA_SD_2023,
  Ed25519Signature2020: ED25519_2020,
}

const SUITES = Object.values(BY_PROOF_TYPE)

export const suiteOf = (proofType: ProofType): Suite => BY_PROOF_TYPE[proofType]

/** The suite of a proof, if it is supported. */
export const suiteOfProof = (proof: { type?: unknown; cryptosuite?: unknown }): Suite | undefined =>
  SUITES.find(
    ({ type, cryptosuite }) => type === proof.type && (cryptosuite === undefined || cryptosuite === proof.cryptosuite),
  )

/** Whether the issuer's proof is a base proof, which discloses nothing until its holder derives another one from it. */
export const isSelective = ({ signature }: Pick<Suite, 'signature'>): boolean =>
  signature === 'bbs' || signature === 'sd'

/** Whether this is the name of a supported cryptosuite, whatever the type of the proof. */
export const isCryptosuite = (name: string): boolean => SUITES.some(({ cryptosuite }) => cryptosuite === name)

/** The keys of one of which a proof type has need, best first; see `keyFor`. */
export const keyTypesOf = (proofType: ProofType): PublicKeyType[] => suiteOf(proofType).keyTypes

/** The key that a proof type needs of a signer; Ed25519Signature2018 names its own type of verification method. */
export const keyFor = (proofType: ProofType) => ({
  keyTypes: keyTypesOf(proofType),
  neededBy: proofType,
  ...(proofType === 'Ed25519Signature2018' && { methodType: 'Ed25519VerificationKey2018' as const }),
})
