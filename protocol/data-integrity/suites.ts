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
] as const
export type ProofType = (typeof PROOF_TYPES)[number]

export const isProofType = (value: unknown): value is ProofType => (PROOF_TYPES as readonly unknown[]).includes(value)

export interface Suite {
  /** `type` and `cryptosuite` of the proof. */
  type: string
  cryptosuite?: string
  /** Key types of the suite; we sign with the first. */
  keyTypes: PublicKeyType[]
  /** Form of the signature in the proof: `jws` is a detached JWS (RFC 7797), `proofValue` multibase. */
  signature: 'jws' | 'proofValue' | 'bbs'
  /** Context that defines the proof's terms if that of the data model does not. */
  context?: { '1.1'?: string; '2.0'?: string }
}

const dataIntegrity = (cryptosuite: string, keyTypes: PublicKeyType[], signature: 'proofValue' | 'bbs'): Suite => ({
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
/** Only verified; it is no proof type of the sign operation. */
const ED25519_2020: Suite = { type: 'Ed25519Signature2020', keyTypes: ['ed25519'], signature: 'proofValue' }

/** `BbsSignature2022` has no published specification and is signed as `bbs-2023`. */
const BY_PROOF_TYPE: Record<ProofType, Suite> = {
  Ed25519Signature2018: ED25519_2018,
  BbsSignature2022: BBS_2023,
  'eddsa-rdfc-2022': EDDSA_RDFC_2022,
  'eddsa-2022': EDDSA_2022,
  'ecdsa-rdfc-2019': ECDSA_RDFC_2019,
  'bbs-2023': BBS_2023,
}

const SUITES = [ED25519_2018, ED25519_2020, EDDSA_RDFC_2022, EDDSA_2022, ECDSA_RDFC_2019, BBS_2023]

export const suiteOf = (proofType: ProofType): Suite => BY_PROOF_TYPE[proofType]

/** The suite of a proof, if it is supported. */
export const suiteOfProof = (proof: { type?: unknown; cryptosuite?: unknown }): Suite | undefined =>
  SUITES.find(
    ({ type, cryptosuite }) => type === proof.type && (cryptosuite === undefined || cryptosuite === proof.cryptosuite),
  )

/** Whether this is the name of a supported cryptosuite, whatever the type of the proof. */
export const isCryptosuite = (name: string): boolean => SUITES.some(({ cryptosuite }) => cryptosuite === name)

/** The key type that an issuer needs for a proof type. */
export const keyTypeOf = (proofType: ProofType): PublicKeyType => suiteOf(proofType).keyTypes[0] ?? 'ed25519'

/** The key that a proof type needs of a signer; Ed25519Signature2018 names its own type of verification method. */
export const keyFor = (proofType: ProofType) => ({
  keyTypes: [keyTypeOf(proofType)],
  neededBy: proofType,
  ...(proofType === 'Ed25519Signature2018' && { methodType: 'Ed25519VerificationKey2018' as const }),
})
