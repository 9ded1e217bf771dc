import type { CheckProof, Json } from '../data-integrity/index.ts'
import { momentOf } from '../dates.ts'
import { type DidDocument, dereference, parseDidUrl, type VerificationMethod } from '../dids/index.ts'
import { Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { type Clock, hasCome, isToCome } from '../time.ts'
import { foreseen, type Reason, type ReasonType } from './reasons.ts'

export interface ProofRules extends Clock {
  /** What the proof must have been made for: a credential asserts, a presentation authenticates its holder. */
  purpose: 'assertionMethod' | 'authentication'
  /** Throws `Refusal` or `Unavailable('outbound')` when the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
  checkProof: CheckProof
}

export const MAX_PROOFS = 10

/** The document that a proof signs: without proofs, or with the ones that it names as coming before it (VC-DI 1.0, section 4.7). */
function signedDocument(document: Json, proof: Json, proofs: Json[]): Json | undefined {
  if (proof.previousProof === undefined) return document
  const ids = listOf(proof.previousProof)
  const before = proofs.filter((other) => other !== proof && other.id !== undefined && ids.includes(other.id))
  return ids.length > 0 && before.length === new Set(ids).size ? { ...document, proof: before } : undefined
}

export const methodId = ({ verificationMethod: method }: Json): string => String(isObject(method) ? method.id : method)

/** Any other member could be an alias of one of these, and say what nobody looks at, such as when the proof ends (D-130). */
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

/** What is wrong with a proof before any cryptography (VC-DI 1.0, section 4.4). */
function malformed(proof: Json, rules: ProofRules): string | undefined {
  const { purpose } = rules
  const unknown = Object.keys(proof).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) return `The proof has a member ${unknown.slice(0, 100)}, which is none of a proof.`
  if (proof.proofPurpose !== purpose) return `The purpose of the proof is not ${purpose}.`
  for (const member of ['created', 'expires']) {
    const moment = momentOf(proof[member], { zoneRequired: false })
    if (proof[member] !== undefined && moment === undefined) return `${member} of the proof is not a date and time.`
    if (moment === undefined) continue
    if (member === 'expires' && hasCome(moment, rules)) return 'The proof has expired.'
    if (member === 'created' && isToCome(moment, rules))
      return `The proof says that it is made at ${moment.toISOString()}.`
  }
  return undefined
}

/** Nothing holds by a method at or after the time at which it ends or was revoked (Controlled Identifiers 1.0, section 2.2). */
function endOf(method: VerificationMethod, clock: Clock): string | undefined {
  for (const member of ['revoked', 'expires'] as const) {
    if (method[member] === undefined) continue
    const moment = momentOf(method[member], { zoneRequired: false })
    if (moment === undefined || hasCome(moment, clock))
      return `The DID document says ${member} of ${method.id.slice(0, 200)}.`
  }
  return undefined
}

/** What is wrong with one proof of a document; nothing, when it holds. `proofs` are all that the document has. */
export async function proofReasons(document: Json, proof: Json, proofs: Json[], rules: ProofRules): Promise<Reason[]> {
  const { purpose, resolveDid, checkProof } = rules
  const input = signedDocument(document, proof, proofs)
  const fault = malformed(proof, rules) ?? (input ? undefined : 'A previous proof that it names is not there.')
  if (fault !== undefined || input === undefined) return [{ type: 'Proof', message: String(fault) }]
  const id = methodId(proof)
  let stage: ReasonType = 'Issuer'
  try {
    const { method, authorized } = dereference(await resolveDid(parseDidUrl(id).did), id, purpose)
    if (!authorized) return [{ type: 'Issuer', message: `The DID document does not allow ${id} for ${purpose}.` }]
    const end = endOf(method, rules)
    if (end !== undefined) return [{ type: 'Issuer', message: end }]
    stage = 'Context'
    const verdict = await checkProof({ document: input, proof, method })
    return verdict.verified ? [] : [{ type: 'Proof', message: verdict.message }]
  } catch (error) {
    if (!foreseen(error) || (error instanceof Refusal && error.code === 'credential.too_complex')) throw error
    const aboutKey = error instanceof Refusal && error.code.startsWith('did.')
    return [{ type: aboutKey ? 'Issuer' : stage, message: error.message }]
  }
}
