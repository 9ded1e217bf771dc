import { CONTEXT } from './contexts/index.ts'
import type { CheckProof, Json } from './data-integrity.ts'
import { type DidDocument, dereference, parseDidUrl } from './dids.ts'
import { Refusal } from './errors.ts'
import { credentialErrors, type DataModel, isObject, listOf } from './semantic-credentials.checks.ts'
import { momentOf } from './semantic-credentials.dates.ts'
import {
  foreseen,
  type Reason,
  type ReasonType,
  type StatusCheck,
  statusReasons,
  timeReasons,
} from './semantic-credentials.reasons.ts'
import { unsignedErrors } from './semantic-credentials.unsigned.ts'

export interface Verdict {
  verified: boolean
  /** Empty when verified. */
  reason: Reason[]
}

export interface VerifyRequest {
  /** From `normaliseForVerify`. */
  credential: Json
  now: Date
  /** Throws `Refusal` or `Unavailable('outbound')` when the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
  checkProof: CheckProof
  /** Without it, a credential with a status is `StatusUnavailable`. */
  status?: StatusCheck
}

const MAX_PROOFS = 10

const modelOf = ({ '@context': context }: Json): DataModel =>
  listOf(context)[0] === CONTEXT.credentialsV2 ? '2.0' : '1.1'

const issuerOf = ({ issuer }: Json): string => String(isObject(issuer) ? issuer.id : issuer)

/** The document that a proof signs: without proofs, or with the ones that it names as coming before it (VC-DI 1.0, section 4.7). */
function signedDocument(document: Json, proof: Json, proofs: Json[]): Json | undefined {
  if (proof.previousProof === undefined) return document
  const ids = listOf(proof.previousProof)
  const before = proofs.filter((other) => other !== proof && other.id !== undefined && ids.includes(other.id))
  return ids.length > 0 && before.length === new Set(ids).size ? { ...document, proof: before } : undefined
}

const methodId = ({ verificationMethod: method }: Json): string => String(isObject(method) ? method.id : method)

/** What is wrong with a proof before any cryptography (VC-DI 1.0, section 4.4). */
function malformed(proof: Json, now: Date): string | undefined {
  if (proof.proofPurpose !== 'assertionMethod') return 'The purpose of the proof is not assertionMethod.'
  for (const member of ['created', 'expires']) {
    const moment = momentOf(proof[member], { zoneRequired: false })
    if (proof[member] !== undefined && moment === undefined) return `${member} of the proof is not a date and time.`
    if (member === 'expires' && moment !== undefined && moment <= now) return 'The proof has expired.'
  }
  return undefined
}

async function proofReasons(document: Json, proof: Json, proofs: Json[], request: VerifyRequest): Promise<Reason[]> {
  const { now, resolveDid, checkProof } = request
  const input = signedDocument(document, proof, proofs)
  const fault = malformed(proof, now) ?? (input ? undefined : 'A previous proof that it names is not there.')
  if (fault !== undefined || input === undefined) return [{ type: 'Proof', message: String(fault) }]
  const id = methodId(proof)
  let stage: ReasonType = 'Issuer'
  try {
    const { method, authorized } = dereference(await resolveDid(parseDidUrl(id).did), id, 'assertionMethod')
    if (!authorized) return [{ type: 'Issuer', message: `The DID document does not allow ${id} for assertions.` }]
    stage = 'Context'
    const verdict = await checkProof({ document: input, proof, method })
    return verdict.verified ? [] : [{ type: 'Proof', message: verdict.message }]
  } catch (error) {
    if (!foreseen(error) || (error instanceof Refusal && error.code === 'credential.too_complex')) throw error
    const aboutKey = error instanceof Refusal && error.code.startsWith('did.')
    return [{ type: aboutKey ? 'Issuer' : stage, message: error.message }]
  }
}

/** Who signed: every proof must hold, and one of them must be the issuer's own. */
async function proofsReasons(credential: Json, request: VerifyRequest): Promise<Reason[]> {
  const { proof, ...document } = credential
  const proofs = listOf(proof).filter(isObject)
  if (proofs.length === 0) return [{ type: 'Proof', message: 'The credential has no proof.' }]
  if (proofs.length > MAX_PROOFS)
    return [{ type: 'Proof', message: `The credential has more than ${MAX_PROOFS} proofs.` }]
  const issuer = issuerOf(credential)
  const byIssuer = proofs.some((each) => methodId(each) === issuer || methodId(each).startsWith(`${issuer}#`))
  const stranger: Reason = {
    type: 'Issuer',
    message: `No proof is made with a key of the issuer ${issuer.slice(0, 200)}.`,
  }
  const reasons = await Promise.all(proofs.map((each) => proofReasons(document, each, proofs, request)))
  return [...(byIssuer ? [] : [stranger]), ...reasons.flat()]
}

/**
 * Verifies anybody's credential: syntax, contexts, issuer, proof, validity, status. The answer names every check that
 * failed; only `Refusal('credential.too_complex')` and outages of our own parts are thrown.
 */
export async function verifyCredential(request: VerifyRequest): Promise<Verdict> {
  const { credential, now, status } = request
  const syntax = [...credentialErrors(credential, modelOf(credential)), ...unsignedErrors(credential, { sign: false })]
  if (syntax.length > 0) {
    const reason = syntax
      .slice(0, 10)
      .map(({ path, message }): Reason => ({ type: 'Syntax', message: `${path} ${message}` }))
    return { verified: false, reason }
  }
  const [proofs, statuses] = await Promise.all([proofsReasons(credential, request), statusReasons(credential, status)])
  const reason = [...proofs, ...timeReasons(credential, now), ...statuses]
  const distinct = reason.filter(
    (one, index) => reason.findIndex((other) => other.type === one.type && other.message === one.message) === index,
  )
  return { verified: reason.length === 0, reason: distinct }
}
