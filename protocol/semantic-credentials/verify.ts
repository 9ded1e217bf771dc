import { CONTEXT } from '../contexts/index.ts'
import type { ListedIssuer } from '../credentials/trust.ts'
import { type CheckProof, type Json, suiteOfProof } from '../data-integrity/index.ts'
import type { DidDocument } from '../dids/index.ts'
import { isObject, listOf } from '../json.ts'
import type { Clock } from '../time.ts'
import { credentialErrors, type DataModel } from './checks.ts'
import type { OpenedEnvelope } from './enveloped/index.ts'
import { bindingReasons, type ExpectedBinding, envelopeReasons } from './enveloped/verify.ts'
import { MAX_PROOFS, methodId, proofReasons } from './proofs.ts'
import { type OptionalCheck, type Reason, type StatusCheck, statusReasons, timeReasons } from './reasons.ts'
import { unsignedErrors } from './unsigned.ts'

export interface Verdict {
  verified: boolean
  /** Empty when verified. */
  reason: Reason[]
  /** Where a trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuer
}

export interface VerifyRequest extends Clock {
  /** From `normaliseForVerify`. */
  credential: Json
  /** The envelope that the credential came in; it stands in place of a proof. */
  envelope?: OpenedEnvelope
  /** The credential as it came, for proofs that sign the JSON itself. Default: `credential`. */
  asSent?: Json
  /** Throws `Refusal` or `Unavailable('outbound')` when the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
  checkProof: CheckProof
  /** If it is absent, a credential with a status fails with `StatusUnavailable`. */
  status?: StatusCheck
  /** Checks that the caller leaves out; undefined: none. */
  skip?: ReadonlySet<OptionalCheck>
  /** What its key binding must be for; undefined: it must have none. */
  binding?: ExpectedBinding | undefined
}

const modelOf = ({ '@context': context }: Json): DataModel =>
  listOf(context)[0] === CONTEXT.credentialsV2 ? '2.0' : '1.1'

const issuerOf = ({ issuer }: Json): string => String(isObject(issuer) ? issuer.id : issuer)

/** Every proof must verify, and one of them must be made with a key of the issuer (D-238). */
async function proofsReasons(credential: Json, request: VerifyRequest): Promise<Reason[]> {
  const { proof, ...document } = credential
  const proofs = listOf(proof).filter(isObject)
  if (proofs.length === 0 && request.envelope) return []
  if (proofs.length === 0) return [{ type: 'Proof', message: 'The credential has no proof.' }]
  if (proofs.length > MAX_PROOFS)
    return [{ type: 'Proof', message: `The credential has more than ${MAX_PROOFS} proofs.` }]
  const issuer = issuerOf(credential)
  const isLeftOut = request.skip?.has('credentialIssuer') === true
  const byIssuer =
    isLeftOut || proofs.some((each) => methodId(each) === issuer || methodId(each).startsWith(`${issuer}#`))
  const noIssuerProof: Reason = {
    type: 'Issuer',
    message: `No proof is made with a key of the issuer ${issuer.slice(0, 200)}.`,
  }
  const rules = { ...request, purpose: 'assertionMethod' } as const
  const { proof: _, ...sent } = request.asSent ?? credential
  const signedBy = (each: Json) => (suiteOfProof(each)?.canonical === 'jcs' ? sent : document)
  const reasons = await Promise.all(proofs.map((each) => proofReasons(signedBy(each), each, proofs, rules)))
  return [...(byIssuer ? [] : [noIssuerProof]), ...reasons.flat()]
}

/** Of a credential in an envelope: it must be one of data model 2.0, and its issuer must have signed the envelope. */
async function securedReasons(credential: Json, request: VerifyRequest): Promise<Reason[]> {
  const { envelope, skip, resolveDid } = request
  if (envelope === undefined) return []
  if (modelOf(credential) !== '2.0')
    return [
      { type: 'Syntax', code: 'envelope.data_model', message: 'Only credentials of data model 2.0 come in envelopes.' },
    ]
  return envelopeReasons(envelope, {
    ...request,
    issuer: issuerOf(credential),
    resolveDid,
    byIssuer: skip?.has('credentialIssuer') !== true,
    atItsTime: skip?.has('credentialValidity') !== true,
  })
}

/**
 * Verifies a credential of any issuer: syntax, contexts, issuer, proof, validity, status. The verdict names every
 * failed check. Throws only `Refusal('credential.too_complex')`, and errors of our own parts.
 */
export async function verifyCredential(request: VerifyRequest): Promise<Verdict> {
  const { credential, status, skip } = request
  const syntax = [...credentialErrors(credential, modelOf(credential)), ...unsignedErrors(credential, { sign: false })]
  if (syntax.length > 0) {
    const reason = syntax
      .slice(0, 10)
      .map(({ path, message }): Reason => ({ type: 'Syntax', message: `${path} ${message}` }))
    return { verified: false, reason }
  }
  const [secured, proofs, statuses] = await Promise.all([
    securedReasons(credential, request),
    proofsReasons(credential, request),
    skip?.has('credentialStatus') ? [] : statusReasons(credential, status),
  ])
  const times = skip?.has('credentialValidity') ? [] : timeReasons(credential, request)
  const bound = bindingReasons(request.envelope, request.binding, request)
  const reason = [...secured, ...bound, ...proofs, ...times, ...statuses]
  const distinct = reason.filter(
    (one, index) => reason.findIndex((other) => other.type === one.type && other.message === one.message) === index,
  )
  return { verified: reason.length === 0, reason: distinct }
}
