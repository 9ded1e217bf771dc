import type { Json } from '../data-integrity/index.ts'
import { dateText } from '../dates.ts'
import { type FieldError, firstFault, Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { boundsErrors, type Origin, shapelessErrors, wrapperHint } from './bounds.ts'
import { brandingErrors } from './branding.ts'
import { credentialErrors, type DataModel, ownTypeErrors } from './checks.ts'
import { chooseModel, completeContexts, payloadPath } from './contexts.ts'
import { envelopedErrors } from './enveloped/issue.ts'
import { withoutNulls } from './extensions.ts'
import { type CredentialProofType, isEnvelopeType } from './proof-types.ts'
import { unsignedErrors } from './unsigned.ts'

export { credentialErrors, type DataModel } from './checks.ts'
export type { Reason, ReasonType, StatusCheck, StatusVerdict } from './reasons.ts'
export { type Verdict, type VerifyRequest, verifyCredential } from './verify.ts'

export interface SignRules {
  proofType: CredentialProofType
  /** The credential will get a status entry: see `withStatus`. */
  revocable: boolean
  now: Date
}

export interface NormalisedCredential {
  /** Complete and checked, without status and proof. */
  credential: Json
  dataModel: DataModel
  /** Id of the issuer. */
  issuer: string
  /** Every type but VerifiableCredential. */
  types: string[]
  issuanceDate: string
  expirationDate?: string
  /** The path in the payload for a path in the credential or in what is signed. */
  inPayload(path: string): string
}

const invalid = (errors: FieldError[]): Refusal =>
  new Refusal('credential.invalid', `The credential is not valid: ${firstFault(errors)}.`, errors)

const refuseIf = (errors: FieldError[]): void => {
  if (errors.length > 0) throw invalid(errors)
}

/** Throws `Refusal('credential.malformed')` unless the payload is a JSON object that the libraries can process. */
function bounded(payload: unknown, origin: Origin): Json {
  if (!isObject(payload))
    throw new Refusal('credential.malformed', 'The payload must be a JSON object.', [
      { path: '', code: 'object', message: 'must be a JSON object' },
    ])
  const errors = boundsErrors(payload, origin)
  if (errors.length > 0)
    throw new Refusal('credential.malformed', `The payload is not valid: ${firstFault(errors)}.`, errors)
  return payload
}

/** The data models name the start and the end of validity differently; callers may use both names. */
function validity(payload: Json, dataModel: DataModel, now: Date): { members: Json; from: unknown; until: unknown } {
  const one = (older: string, newer: string): unknown => {
    const dates = [payload[older], payload[newer]]
      .filter((value) => value !== undefined && value !== null)
      .map(dateText)
    if (dates.length === 2 && dates[0] !== dates[1])
      throw invalid([{ path: `/${newer}`, code: 'credential.date_twice', message: `must not differ from ${older}` }])
    return dates[0]
  }
  const from = one('issuanceDate', 'validFrom') ?? now.toISOString().replace(/\.\d+Z$/, 'Z')
  const until = one('expirationDate', 'validUntil')
  const [fromName, untilName] = dataModel === '2.0' ? ['validFrom', 'validUntil'] : ['issuanceDate', 'expirationDate']
  return { members: { [fromName]: from, ...(until !== undefined && { [untilName]: until }) }, from, until }
}

/**
 * Returns the complete credential of a sign request's `payload` (specification, Web semantic credentials):
 * base context and `VerifiableCredential` first, contexts for status, proof and our extensions added, dates normalised.
 * Throws `Refusal('credential.malformed')` or `Refusal('credential.invalid')` with every breach.
 */
export function normaliseSignPayload(payload: unknown, rules: SignRules): NormalisedCredential {
  const members = withoutNulls(bounded(payload, 'own'))
  const {
    '@context': context,
    type,
    issuanceDate: _i,
    validFrom: _f,
    expirationDate: _e,
    validUntil: _u,
    ...rest
  } = members
  const { dataModel, others } = chooseModel(listOf(context))
  const { members: dates, from, until } = validity(members, dataModel, rules.now)
  const types = listOf(type).filter((name) => name !== 'VerifiableCredential')
  const credential: Json = {
    '@context': completeContexts(members, others, dataModel, rules),
    type: ['VerifiableCredential', ...types],
    ...rest,
    ...dates,
  }
  const inPayload = (path: string) => payloadPath(path, members, credential)
  const { proofType } = rules
  const errors = [
    ...credentialErrors(credential, dataModel),
    ...ownTypeErrors(credential),
    ...brandingErrors(credential),
    ...(isEnvelopeType(proofType) ? envelopedErrors(proofType, credential, dataModel === '2.0') : []),
  ].map((error) => ({
    ...error,
    path: inPayload(error.path),
  }))
  errors.push(...unsignedErrors(members, { sign: true }))
  for (const member of ['proof', ...(rules.revocable ? ['credentialStatus'] : [])]) {
    if (members[member] !== undefined)
      errors.push({ path: `/${member}`, code: 'credential.not_yours', message: 'must be absent: the platform adds it' })
  }
  refuseIf(errors)
  return {
    credential,
    dataModel,
    issuer: String(isObject(credential.issuer) ? credential.issuer.id : credential.issuer),
    types: types.map(String),
    issuanceDate: String(from),
    inPayload,
    ...(until !== undefined && { expirationDate: String(until) }),
  }
}

/** Adds the status entry or entries; `normaliseSignPayload` has added their context to a revocable credential. */
export const withStatus = (credential: Json, credentialStatus: Json | Json[]): Json => ({
  ...credential,
  credentialStatus,
})

/** Throws `Refusal('credential.malformed')` for an object that is no credential at all. */
export function assertCredential(payload: unknown): void {
  if (!isObject(payload)) return
  const errors = shapelessErrors(payload)
  if (errors.length > 0)
    throw new Refusal(
      'credential.malformed',
      `The payload is not a credential: it has no @context and no type.${wrapperHint(payload)}`,
      errors,
    )
}

/**
 * Returns a credential for verification in W3C form, where the specification's schema differs: single context or type,
 * dates as objects. This does not change what was signed. Throws `Refusal('credential.malformed')`.
 */
export function normaliseForVerify(payload: unknown): Json {
  const credential: Json = { ...bounded(payload, 'foreign') }
  for (const member of ['@context', 'type']) {
    if (typeof credential[member] === 'string') credential[member] = [credential[member]]
  }
  for (const member of ['issuanceDate', 'expirationDate', 'validFrom', 'validUntil']) {
    if (member in credential) credential[member] = dateText(credential[member])
  }
  return credential
}

/** Returns the DIDs of the credential's subjects. */
export const subjectDids = ({ credentialSubject }: Json): string[] => {
  const ids = listOf(credentialSubject).map((subject) => (isObject(subject) ? subject.id : undefined))
  return [...new Set(ids)].filter((id): id is string => typeof id === 'string' && id.startsWith('did:'))
}
