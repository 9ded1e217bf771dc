import type { CheckProof, Json } from '../data-integrity/index.ts'
import { momentOf } from '../dates.ts'
import { type DidDocument, parseDidUrl } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { type Clock, hasCome, isToCome } from '../time.ts'
import { foreseen, type Reason, type ReasonType } from './reasons.ts'

export interface ProofRules extends Clock {
  /** The purpose that the proof must have: of a credential to assert, of a presentation to authenticate the holder. */
  purpose: 'assertionMethod' | 'authentication'
  /** Throws `Refusal` or `Unavailable('outbound')` if the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
  checkProof: CheckProof
}

export const MAX_PROOFS = 10

/** The document that a proof signs: without proofs, or with its previous proofs (VC-DI 1.0, section 4.7). */
function signedDocument(document: Json, proof: Json, proofs: Json[]): Json | undefined {
  if (proof.previousProof === undefined) return document
  const ids = listOf(proof.previousProof)
  const before = proofs.filter((other) => other !== proof && other.id !== undefined && ids.includes(other.id))
  return ids.length > 0 && before.length === new Set(ids).size ? { ...document, proof: before } : undefined
}

export const methodId = ({ verificationMethod: method }: Json): string => String(isObject(method) ? method.id : method)

/** Any other member could be an alias of one of these that no check reads, such as the end of the proof (D-130). */
const MEMBERS = new Set([
  '@context',
  'id',
  'type',
  'cryptosuite',
  'created',
  'expires',
  'verificationMethod',
  'proofPurpose',
  'challenge',
  'domain',
  'nonce',
  'previousProof',
  'proofValue',
  'jws',
  'signatureValue',
])

/** Returns the error of a proof that needs no cryptography (VC-DI 1.0, section 4.4). */
function malformed(proof: Json, rules: ProofRules): string | undefined {
  const { purpose } = rules
  const unknown = Object.keys(proof).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) return `The proof has an unknown member ${unknown.slice(0, 100)}.`
  if (proof.proofPurpose !== purpose) return `The purpose of the proof is not ${purpose}.`
  for (const member of ['created', 'expires']) {
    const moment = momentOf(proof[member], { zoneRequired: false })
    if (proof[member] !== undefined && moment === undefined) return `${member} of the proof is not a date and time.`
    if (moment === undefined) continue
    if (member === 'expires' && hasCome(moment, rules)) return 'The proof has expired.'
    if (member === 'created' && isToCome(moment, rules))
      return `The proof was created in the future, at ${moment.toISOString()}.`
  }
  return undefined
}

/** Returns the errors of one proof of a document; an empty list if it verifies. `proofs` are all of the document. */
export async function proofReasons(document: Json, proof: Json, proofs: Json[], rules: ProofRules): Promise<Reason[]> {
  const { purpose, resolveDid, checkProof } = rules
  const input = signedDocument(document, proof, proofs)
  const fault =
    malformed(proof, rules) ?? (input ? undefined : 'The document lacks a previous proof that the proof names.')
  if (fault !== undefined || input === undefined) return [{ type: 'Proof', message: String(fault) }]
  const id = methodId(proof)
  let stage: ReasonType = 'Issuer'
  try {
    const { method, fault: unusable } = usableMethod(await resolveDid(parseDidUrl(id).did), id, purpose, rules)
    if (unusable) return [{ type: 'Issuer', message: unusable.message }]
    stage = 'Context'
    const verdict = await checkProof({ document: input, proof, method })
    return verdict.verified ? [] : [{ type: 'Proof', message: verdict.message }]
  } catch (error) {
    if (!foreseen(error) || (error instanceof Refusal && error.code === 'credential.too_complex')) throw error
    const aboutKey = error instanceof Refusal && error.code.startsWith('did.')
    return [{ type: aboutKey ? 'Issuer' : stage, message: error.message }]
  }
}
