import { base58btc } from 'multiformats/bases/base58'
import { refuseImports } from '../contexts/index.ts'
import type { PublicKeyType } from '../dids/index.ts'
import { Refusal } from '../errors.ts'
import { wholeSeconds } from '../time.ts'
import { type BbsData, bbsProofValue } from './bbs-value.ts'
import { assertPlainForBbs, type CanonizeOptions, canonizePlain } from './canonize.ts'
import { detachedJws, digestOf, hashData, hashJson, type Json, jwsInput } from './hash.ts'
import { checkPointers } from './pointers.ts'
import { type SdData, sdProofValue } from './selective-value.ts'
import { keyTypesOf, type ProofType, suiteOf, suiteOfProof } from './suites.ts'
import { assertTyped } from './typed-values.ts'

export type { Json } from './hash.ts'
export { ephemeralSecret } from './keys.ts'
export { isBaseProof } from './selective-value.ts'
export {
  isProofType,
  isSelective,
  keyFor,
  keyTypesOf,
  PROOF_TYPES,
  type ProofType,
  suiteOf,
  suiteOfProof,
} from './suites.ts'
export { type CheckProof, createProofCheck, type ProofCheck, type ProofVerdict } from './verify.ts'

/** Loaded when it is used, because tables of the curve take a third of a second of a core; threads load it at once. */
const bbs = () => import('./bbs.ts')
const sd = () => import('./ecdsa-sd.ts')

/** A key of the issuer in any key store. `sign` returns 64 bytes: Ed25519, or ECDSA as r‖s; 96 bytes with P-384. */
export interface Signer {
  /** DID URL under the issuer's assertionMethod. */
  verificationMethod: string
  keyType: PublicKeyType
  /** Raw public key; a bbs-2023 base proof carries it. */
  publicKey: Uint8Array
  sign(data: Uint8Array): Promise<Uint8Array>
  /** BBS signature with BLS12-381-SHA-256, 80 bytes. */
  bbsSign(input: { header: Uint8Array; messages: Uint8Array[] }): Promise<Uint8Array>
}

/** Purpose, challenge and domain of a proof (VC Data Integrity 1.0, section 2.1). */
export interface ProofPurpose {
  /** Default: `assertionMethod`. */
  proofPurpose?: 'assertionMethod' | 'authentication'
  challenge?: string
  domain?: string
}

/** The input of a signature without the key: plain data that may cross threads. */
export interface ProofRequest extends ProofPurpose {
  /** A credential or a presentation, without `proof`; see `normaliseSignPayload`. */
  credential: Json
  proofType: ProofType
  verificationMethod: string
  /** Of the key; by default one that hashes with SHA-256. */
  keyType?: PublicKeyType
  /** ISO 8601 in UTC, to the second. BBS proofs have none by default: it would link the derived proofs. */
  created?: string
  /** Selective disclosure: JSON pointers that every derived proof discloses; `defaultMandatoryPointers` by default. */
  mandatoryPointers?: string[]
  /** Selective disclosure: 32 random bytes. */
  hmacKey?: Uint8Array
  /** ecdsa-sd-2023: the private key of this proof alone, of `ephemeralSecret`; it signs each statement. */
  ephemeral?: Uint8Array
  /** Values without the form of their type are signed as they are: ill-typed literals (RDF 1.1 Concepts, section 5.4). */
  mayBeIllTyped?: boolean
}

export type PreparedProof = { proof: Json } & (
  | { kind: 'jws' | 'proofValue'; data: Uint8Array }
  | ({ kind: 'bbs' } & BbsData)
  | ({ kind: 'sd' } & SdData)
)

/** A holder must not be able to hide the issuer of a credential, its end and its status. */
const MANDATORY = [
  'issuer',
  'validFrom',
  'validUntil',
  'issuanceDate',
  'expirationDate',
  'credentialStatus',
  'credentialSchema',
]

export const defaultMandatoryPointers = (credential: Json): string[] =>
  MANDATORY.filter((member) => credential[member] !== undefined).map((member) => `/${member}`)

function assertTypedIn({ credential, mayBeIllTyped = false }: ProofRequest, statements: string): void {
  if (!mayBeIllTyped) assertTyped(credential, statements)
}

/** Throws as `canonize` and `assertTyped` do. */
async function prepareSelective(request: ProofRequest, proof: Json, options: CanonizeOptions): Promise<PreparedProof> {
  const { credential, hmacKey, ephemeral, mandatoryPointers = defaultMandatoryPointers(credential) } = request
  if (hmacKey === undefined) throw new TypeError('a base proof needs 32 random bytes')
  checkPointers(credential, mandatoryPointers)
  await assertPlainForBbs(credential, proof, options)
  if (suiteOf(request.proofType).signature === 'bbs') {
    const { bbsData } = await bbs()
    const { statements, ...data } = await bbsData(credential, proof, { hmacKey, mandatoryPointers }, options)
    assertTypedIn(request, statements)
    return { kind: 'bbs', proof, ...data }
  }
  if (ephemeral === undefined) throw new TypeError('an ecdsa-sd-2023 proof needs a key of its own')
  const { sdData } = await sd()
  const { statements, ...data } = await sdData(credential, proof, { hmacKey, ephemeral, mandatoryPointers }, options)
  assertTypedIn(request, statements)
  return { kind: 'sd', proof, ...data }
}

/**
 * Checks a document that is signed as JSON: its readers may take statements from it, so all of it must become statements.
 * Throws as `canonize` and `assertTyped` do.
 */
export async function assertStatements(document: Json, options: CanonizeOptions): Promise<undefined> {
  refuseImports(document)
  assertTyped(document, await canonizePlain(document, options))
}

/** Canonicalises the document and the proof options, for `completeProof`. Throws as `canonize` and `assertTyped` do. */
export async function prepareProof(request: ProofRequest, options: CanonizeOptions): Promise<PreparedProof> {
  const { credential, proofType, verificationMethod, keyType, created, challenge, domain } = request
  const digest = digestOf(keyType)
  const { type, cryptosuite, signature, canonical } = suiteOf(proofType)
  refuseImports(credential)
  const proof: Json = {
    type,
    ...(cryptosuite !== undefined && { cryptosuite }),
    ...(created !== undefined && { created }),
    verificationMethod,
    proofPurpose: request.proofPurpose ?? 'assertionMethod',
    ...(challenge !== undefined && { challenge }),
    ...(domain !== undefined && { domain }),
  }
  if (signature === 'bbs' || signature === 'sd') return prepareSelective(request, proof, options)
  // a presentation contains credentials of others
  const isOurs = proof.proofPurpose === 'assertionMethod'
  if (canonical === 'jcs') {
    // its readers may take statements from it, so they are checked as those of the other suites are
    const statements = await canonizePlain(credential, options)
    if (isOurs) assertTypedIn(request, statements)
    const withContext = { ...proof, ...('@context' in credential && { '@context': credential['@context'] }) }
    return { kind: 'proofValue', proof: withContext, data: hashJson(credential, withContext, digest).bytes }
  }
  const { bytes, canonicalDocument } = await hashData(credential, proof, { ...options, digest })
  if (isOurs) assertTypedIn(request, canonicalDocument)
  return { kind: signature, proof, data: signature === 'jws' ? jwsInput(bytes) : bytes }
}

/** Signs a prepared proof and attaches it to the credential. */
export async function completeProof(credential: Json, prepared: PreparedProof, signer: Signer): Promise<Json> {
  const { proof } = prepared
  if (prepared.kind === 'bbs') {
    const signature = await signer.bbsSign({ header: prepared.header, messages: prepared.messages })
    return { ...credential, proof: { ...proof, proofValue: bbsProofValue(prepared, signature, signer.publicKey) } }
  }
  const signature = await signer.sign(prepared.data)
  if (prepared.kind === 'sd')
    return { ...credential, proof: { ...proof, proofValue: sdProofValue(prepared, signature) } }
  const value = prepared.kind === 'jws' ? { jws: detachedJws(signature) } : { proofValue: base58btc.encode(signature) }
  return { ...credential, proof: { ...proof, ...value } }
}

/** Throws `Refusal('key.unsupported')` unless the key can make proofs of this type. */
export function checkSigner(
  { keyType, verificationMethod }: Pick<Signer, 'keyType' | 'verificationMethod'>,
  proofType: ProofType,
): void {
  const fitting = keyTypesOf(proofType)
  if (fitting.includes(keyType)) return
  const message = `${proofType} needs a key of type ${fitting.join(' or ')}; ${verificationMethod} is of type ${keyType}.`
  throw new Refusal('key.unsupported', message, [{ path: 'proofType', code: 'key.unsupported', message }])
}

/** The `created` of a proof of this type; undefined for BBS. */
export const createdFor = (proofType: ProofType, now: Date): string | undefined =>
  suiteOf(proofType).signature === 'bbs' ? undefined : wholeSeconds(now)

export interface SignRequest extends Omit<ProofRequest, 'created' | 'verificationMethod' | 'keyType'> {
  signer: Signer
  now: Date
}

/** Signs a credential in this thread. Throws as `prepareProof` and the signer do, and `Refusal('key.unsupported')`. */
export async function signCredential(
  { signer, now, ...request }: SignRequest,
  options: CanonizeOptions,
): Promise<Json> {
  const { credential, proofType } = request
  checkSigner(signer, proofType)
  const { verificationMethod, keyType } = signer
  const created = createdFor(proofType, now)
  const prepared = await prepareProof({ ...request, verificationMethod, keyType, created }, options)
  return completeProof(credential, prepared, signer)
}

export interface DeriveRequest {
  /** With a base proof of bbs-2023 or ecdsa-sd-2023. */
  credential: Json
  /** JSON pointers to disclose in addition to the mandatory ones; `everything` hides nothing. */
  disclose: string[] | 'everything'
  /** bbs-2023: bound into the derived proof, for a verifier's challenge. */
  presentationHeader?: Uint8Array
}

/** Throws `Refusal` with `credential.not_derivable`, `credential.pointer_invalid`, or as `canonize` does. */
export async function deriveCredential(request: DeriveRequest, options: CanonizeOptions): Promise<Json> {
  const { credential, disclose, presentationHeader = new Uint8Array() } = request
  const { proof, ...document } = credential
  refuseImports(document)
  if (typeof proof !== 'object' || proof === null || Array.isArray(proof)) {
    throw new Refusal('credential.not_derivable', 'The credential must have exactly one proof to derive from.')
  }
  const selectivePointers = disclose === 'everything' ? [''] : disclose
  if (suiteOfProof(proof)?.signature === 'sd') {
    const { deriveSd } = await sd()
    return deriveSd(document, { ...proof }, selectivePointers, options)
  }
  const { deriveBbs } = await bbs()
  return deriveBbs(document, { ...proof }, { selectivePointers, presentationHeader }, options)
}
