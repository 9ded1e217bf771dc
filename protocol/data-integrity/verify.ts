import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { bundledContexts, refuseImports } from '../contexts/index.ts'
import type { VerificationMethod } from '../dids/index.ts'
import { assertPlainForBbs, type CanonizeOptions } from './canonize.ts'
import { digestOf, hashData, hashJson, type Json, jwsInput, parseDetachedJws, sameContexts } from './hash.ts'
import { type VerificationKey, verificationKey, verifySignature } from './keys.ts'
import { isCryptosuite, isSelective, type Suite, suiteOfProof } from './suites.ts'

/** One proof to check: plain data that may cross threads. */
export interface ProofCheck {
  /** The secured document without `proof`; for a chained proof, with its previous proofs. */
  document: Json
  proof: Json
  method: VerificationMethod
}

/** `message` says what is wrong. */
export type ProofVerdict = { verified: true } | { verified: false; message: string }

/** Throws `Refusal` for errors of the document itself (contexts, undefined terms, too complex). */
export type CheckProof = (check: ProofCheck) => Promise<ProofVerdict>

const failed = (message: string): ProofVerdict => ({ verified: false, message })

function multibase(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > 1000) return undefined
  try {
    return text.startsWith('u') ? base64url.decode(text) : base58btc.decode(text)
  } catch {
    return undefined
  }
}

/**
 * A proof may have contexts of its own (VC Data Integrity 1.0, section 4.6). Only bundled ones are accepted: with
 * others, a stranger could change the meaning of the proof's members.
 */
const ownContexts = (proof: Json): boolean => {
  const contexts = proof['@context']
  return contexts === undefined || [contexts].flat().every((url) => typeof url === 'string' && bundledContexts.has(url))
}

async function verifyHashed(
  check: ProofCheck,
  suite: Suite,
  key: VerificationKey,
  options: CanonizeOptions,
): Promise<boolean> {
  const { document, proof } = check
  const jws = suite.signature === 'jws' ? parseDetachedJws(proof.jws) : undefined
  const signature = suite.signature === 'jws' ? jws?.signature : multibase(proof.proofValue)
  if (signature === undefined) return false
  const digest = digestOf(key.keyType)
  const { bytes } =
    suite.canonical === 'jcs'
      ? hashJson(document, proof, digest)
      : await hashData(document, proof, { ...options, digest })
  return verifySignature(key, jws === undefined ? bytes : jwsInput(bytes, jws.header), signature)
}

/** Says what is wrong with the contexts of a proof; undefined where nothing is. */
function contextFault({ canonical }: Suite, document: Json, proof: Json): string | undefined {
  if (canonical === 'jcs')
    return sameContexts(document, proof) ? undefined : 'The contexts of the proof are not those of the document.'
  return ownContexts(proof) ? undefined : 'The proof has a context that is not one of the bundled contexts.'
}

async function verifySelective(
  { document, proof }: ProofCheck,
  suite: Suite,
  key: VerificationKey,
  options: CanonizeOptions,
): Promise<boolean> {
  await assertPlainForBbs(document, proof, options)
  if (suite.signature === 'bbs') return (await import('./bbs.ts')).verifyBbs(document, proof, key, options)
  return (await import('./ecdsa-sd.ts')).verifySd(document, proof, key, options)
}

/** A check that runs in this thread. */
export function createProofCheck(options: CanonizeOptions): CheckProof {
  return async (check) => {
    const { document, proof, method } = check
    refuseImports(document)
    const suite = suiteOfProof(proof)
    const name = String(proof.cryptosuite ?? proof.type).slice(0, 100)
    if (suite === undefined && isCryptosuite(name))
      return failed(`A ${name} proof must have the type DataIntegrityProof, and it has another.`)
    if (suite === undefined) return failed(`Proofs of type ${name} are not supported.`)
    const fault = contextFault(suite, document, proof)
    if (fault !== undefined) return failed(fault)
    const key = verificationKey(method)
    if (!suite.keyTypes.includes(key.keyType))
      return failed(`A ${name} proof cannot have a key of type ${key.keyType}.`)
    const verified = isSelective(suite)
      ? await verifySelective(check, suite, key, options)
      : await verifyHashed(check, suite, key, options)
    return verified ? { verified } : failed(`The ${name} signature does not match the document.`)
  }
}
