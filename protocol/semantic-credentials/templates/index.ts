import { type Json, keyTypesOf, type ProofType } from '../../data-integrity/index.ts'
import type { PublicKeyType } from '../../dids/index.ts'
import { errorsWithin, type FieldError, Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { addDuration, DURATION_UNITS, type Duration, wholeSeconds } from '../../time.ts'
import { isUuid } from '../../uuid.ts'
import { boundsErrors } from '../bounds.ts'
import { brandingErrors } from '../branding.ts'
import type { DataModel } from '../checks.ts'
import { chooseModel } from '../contexts.ts'
import { disclosureTerms, selectiveErrors } from '../enveloped/disclosure.ts'
import { withoutNulls } from '../extensions.ts'
import {
  CREDENTIAL_PROOF_TYPES,
  type CredentialProofType,
  credentialKeyFor,
  isCredentialProofType,
} from '../proof-types.ts'
import { type ClaimMappings, mapClaims } from './claims.ts'
import { mappingErrors } from './mappings.ts'
import { type TakenClaims, takenClaims, unmappedErrors } from './unmapped.ts'

/** The template of many credentials (specification, Credential template). Null means absent. */
export interface TemplateDefinition {
  additionalTypes: string[]
  claimMappings?: ClaimMappings | null
  claimSourceId?: string | null
  /** JSON-LD contexts: one or a list. Checked by the trial of the template. */
  contexts?: unknown
  credentialBranding?: { backgroundColor?: string | null; watermarkImageUrl?: string | null } | null
  description?: string | null
  /** From issuance to expiration. */
  expiresIn?: Duration | null
  /** Claims that no mapping takes are left out; otherwise they are refused (D-241). */
  ignoreUnmapped?: boolean | null
  issuer: { iconUrl?: string | null; logoUrl?: string | null; name: string }
  name: string
  /** Default: the proof type that fits the issuer's key. */
  proofType?: string | null
  revocable: boolean
  /** Only with vc+sd-jwt: paths in the credential that its holder may leave out. */
  selectively?: unknown[][] | null
  /** Only with vc+sd-jwt: digests that stand for no claim. */
  decoys?: number | null
  type: string
}

const MAX_TYPES = 32
/** A JSON-LD term or IRI: no white space of any alphabet, nothing invisible, no keyword. */
const TYPE = /^(?!@)[^\p{White_Space}\p{C}]{1,255}$/u

const error = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `credential_template.${code}`,
  message,
})

const textErrors = (path: string, value: string, maximum: number): FieldError[] =>
  value.trim() !== '' && value.length <= maximum ? [] : [error(path, 'text', `expected 1 to ${maximum} characters`)]

function typeErrors({ type, additionalTypes }: TemplateDefinition): FieldError[] {
  const all = [type, ...additionalTypes]
  const pathOf = (index: number) => (index === 0 ? 'type' : `additionalTypes.${index - 1}`)
  const errors = all.flatMap((name, index) => {
    if (!TYPE.test(name)) return [error(pathOf(index), 'type', 'expected 1 to 255 characters without white space')]
    if (index === 0 && name === 'VerifiableCredential')
      return [
        error('type', 'type_reserved', 'expected a type besides VerifiableCredential, which every credential has'),
      ]
    return all.indexOf(name) === index
      ? []
      : [error(pathOf(index), 'type_twice', 'is a duplicate: name each type once')]
  })
  return additionalTypes.length < MAX_TYPES
    ? errors
    : [error('additionalTypes', 'too_many', `expected fewer than ${MAX_TYPES} types`)]
}

function durationErrors(duration: Duration, now: Date): FieldError[] {
  const errors = DURATION_UNITS.filter((unit) => {
    const value = duration[unit]
    return value !== undefined && !(Number.isSafeInteger(value) && value >= 0)
  }).map((unit) => error(`expiresIn.${unit}`, 'duration', 'expected a whole number, 0 or more'))
  if (errors.length > 0) return errors
  if (DURATION_UNITS.every((unit) => !duration[unit]))
    return [error('expiresIn', 'duration_empty', 'is 0: leave it out for credentials that do not expire')]
  return addDuration(now, duration) ? [] : [error('expiresIn', 'duration', 'must end before the year 10000')]
}

/** Errors of a document of our own, as errors of the definition. */
const ofDefinition = (errors: FieldError[]): FieldError[] =>
  errorsWithin('', errors).map(({ path, code, message }) => ({
    path,
    code: code.replace(/^credential\./, 'credential_template.'),
    message,
  }))

/** A path to a claim that no mapping makes would hide nothing, and leave in the open what it was meant for. */
function disclosureErrors(definition: TemplateDefinition): FieldError[] {
  const { proofType, selectively, decoys, claimMappings } = definition
  const terms = disclosureTerms({ selectively, decoys })
  if (proofType !== 'vc+sd-jwt')
    return Object.keys(terms).map((path) => error(path, 'selective', 'expected only with proof_type vc+sd-jwt'))
  const wrong = selectiveErrors(terms)
  const names = Object.keys(claimMappings ?? {})
  if (wrong.length > 0 || names.length === 0) return wrong
  return (selectively ?? []).flatMap(([first, name], place): FieldError[] =>
    first !== 'credentialSubject' || name === 'id' || names.includes(String(name))
      ? []
      : [error(`selectively.${place}`, 'claim_unmapped', `expected a claim of claim_mappings: ${names.join(', ')}`)],
  )
}

/** Returns every breach of the rules of a definition, with its path; if the list is empty, the definition is valid. */
export function templateErrors(definition: TemplateDefinition, now: Date): FieldError[] {
  const bounds = ofDefinition(boundsErrors(definition))
  const isUnsafeName = ({ code }: FieldError) => code === 'credential_template.unsafe_name'
  if (!bounds.every(isUnsafeName)) return bounds
  const { name, description, proofType, claimSourceId, claimMappings, expiresIn, issuer, credentialBranding } =
    definition
  const display = withoutNulls({ credentialBranding, description, issuer, name })
  const errors = [
    ...typeErrors(definition),
    ...textErrors('name', name, 255),
    ...textErrors('issuer.name', issuer.name, 255),
    ...(typeof description === 'string' && description.length > 4096
      ? [error('description', 'text', 'expected at most 4096 characters')]
      : []),
    ...ofDefinition(brandingErrors(display)),
    ...(typeof proofType === 'string' && !isCredentialProofType(proofType)
      ? [error('proofType', 'proof_type', `expected one of ${CREDENTIAL_PROOF_TYPES.join(', ')}`)]
      : []),
    ...(typeof claimSourceId === 'string' && !isUuid(claimSourceId)
      ? [error('claimSourceId', 'claim_source', 'expected the id of a claim source')]
      : []),
    ...(claimMappings ? mappingErrors(claimMappings) : []),
    ...(expiresIn ? durationErrors(expiresIn, now) : []),
    ...disclosureErrors(definition),
  ]
  const paths = new Set(errors.map(({ path }) => path))
  return [...errors, ...bounds.filter(({ path }) => !paths.has(path))]
}

/** Proof types by the issuer's key type, the most common first. */
const BY_KEY = (['Ed25519Signature2018', 'BbsSignature2022', 'ecdsa-rdfc-2019'] as const).flatMap((proofType) =>
  keyTypesOf(proofType).map((keyType): [PublicKeyType, ProofType] => [keyType, proofType]),
)

/** Key types with which an issuer can sign from the template. */
export const keyTypesFor = ({ proofType }: TemplateDefinition): PublicKeyType[] =>
  isCredentialProofType(proofType) ? credentialKeyFor(proofType).keyTypes : BY_KEY.map(([keyType]) => keyType)

/** Proof types with which an issuer can sign from the template. */
export const proofTypesFor = ({ proofType }: TemplateDefinition): CredentialProofType[] =>
  isCredentialProofType(proofType) ? [proofType] : [...new Set(BY_KEY.map(([, each]) => each))]

/** The template's proof type, or the one that fits the issuer's keys. */
export const proofTypeFor = ({ proofType }: TemplateDefinition, keyTypes: PublicKeyType[]): string =>
  proofType ?? BY_KEY.find(([keyType]) => keyTypes.includes(keyType))?.[1] ?? 'Ed25519Signature2018'

const contextsOf = ({ contexts }: TemplateDefinition): unknown[] => (contexts === null ? [] : listOf(contexts))

/** Data model of credentials from the template. Throws `Refusal('credential.invalid')` for invalid contexts. */
export const dataModelOf = (definition: TemplateDefinition): DataModel => chooseModel(contextsOf(definition)).dataModel

export interface FromTemplate {
  issuerDid: string
  /** Claims about the subject; `id` is the subject's id. */
  claims: Json
  /** Time of issuance; the expiration is calculated from it, to the second. */
  now: Date
  /** True for a row: what no mapping takes was refused when its batch was created. */
  areAccepted?: boolean
}

const hasMappings = ({ claimMappings }: TemplateDefinition): boolean => Object.keys(claimMappings ?? {}).length > 0

/** The claims that a template takes; null where it takes all, or leaves out the others. */
export const takenBy = (definition: TemplateDefinition): TakenClaims | null =>
  hasMappings(definition) && !definition.ignoreUnmapped ? takenClaims(definition.claimMappings ?? {}) : null

/**
 * Returns the subject of a credential: the claims by the mappings, or all of them where there are none. `taken`: by
 * `takenBy`; null leaves out what no mapping takes. Throws
 * `Refusal('credential_template.claims_unmapped' | 'credential_template.claims_missing')`, which names each claim.
 */
export function subjectOf(definition: TemplateDefinition, claims: Json, taken: TakenClaims | null): Json {
  if (!hasMappings(definition)) return claims
  const sources = { claims, credentialConfiguration: definition }
  const { subject, missing } = mapClaims(definition.claimMappings ?? {}, sources)
  const unmapped = taken ? unmappedErrors(taken, claims) : []
  if (unmapped.length > 0)
    throw new Refusal(
      'credential_template.claims_unmapped',
      `No mapping takes some of the claims, so the credential would not have them; errors names them. Correct their names, map them, or set ignore_unmapped of the template. It takes ${taken?.list}.`,
      [...unmapped, ...missing],
    )
  if (missing.length > 0)
    throw new Refusal(
      'credential_template.claims_missing',
      'Claims that the template requires are missing; errors names them.',
      missing,
    )
  return subject
}

/** Returns the payload of a template with a subject, for `normaliseSignPayload`. */
export function payloadOf(definition: TemplateDefinition, issuerDid: string, subject: Json, now: Date): Json {
  const { credentialBranding, description, expiresIn, issuer, name, type } = definition
  const issued = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
  const expires = expiresIn ? addDuration(issued, expiresIn) : undefined
  if (expiresIn && !expires)
    throw new Refusal(
      'credential_template.invalid',
      'The credential would expire after the year 9999; shorten expires_in of the template.',
    )
  const branded = isObject(credentialBranding) && Object.values(credentialBranding).some((value) => value !== null)
  return {
    '@context': contextsOf(definition),
    type: ['VerifiableCredential', type, ...definition.additionalTypes],
    issuer: { id: issuerDid, ...issuer },
    name,
    ...(typeof description === 'string' && { description }),
    ...(branded && { credentialBranding }),
    issuanceDate: wholeSeconds(issued),
    ...(expires && { expirationDate: wholeSeconds(expires) }),
    credentialSubject: subject,
  }
}

/** Returns the payload of a template with claims. Throws as `subjectOf` does. */
export const payloadFromTemplate = (
  definition: TemplateDefinition,
  { issuerDid, claims, now, areAccepted }: FromTemplate,
): Json =>
  payloadOf(definition, issuerDid, subjectOf(definition, claims, areAccepted ? null : takenBy(definition)), now)
