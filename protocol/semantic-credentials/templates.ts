import { isProofType, type Json, keyTypeOf, PROOF_TYPES, type ProofType } from '../data-integrity/index.ts'
import type { PublicKeyType } from '../dids/index.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { addDuration, DURATION_UNITS, type Duration, wholeSeconds } from '../time.ts'
import { isUuid } from '../uuid.ts'
import { boundsErrors } from './bounds.ts'
import { brandingErrors } from './branding.ts'
import type { DataModel } from './checks.ts'
import { chooseModel } from './contexts.ts'
import { withoutNulls } from './extensions.ts'
import { type ClaimMappings, mapClaims } from './templates.claims.ts'
import { mappingErrors } from './templates.mappings.ts'

/** What an issuer settles once for many credentials (specification, Credential template). Null is as good as absent. */
export interface TemplateDefinition {
  additionalTypes: string[]
  claimMappings?: ClaimMappings | null
  claimSourceId?: string | null
  /** JSON-LD contexts: one or a list. Any JSON is kept; what cannot serve as contexts is refused when signing. */
  contexts?: unknown
  credentialBranding?: { backgroundColor?: string | null; watermarkImageUrl?: string | null } | null
  description?: string | null
  /** From issuance to expiration. */
  expiresIn?: Duration | null
  issuer: { iconUrl?: string | null; logoUrl?: string | null; name: string }
  name: string
  /** Without one, the issuer's key decides. */
  proofType?: string | null
  revocable: boolean
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
    return all.indexOf(name) === index ? [] : [error(pathOf(index), 'type_twice', 'is there already')]
  })
  return additionalTypes.length < MAX_TYPES
    ? errors
    : [error('additionalTypes', 'too_many', `expected fewer than ${MAX_TYPES}`)]
}

function durationErrors(duration: Duration, now: Date): FieldError[] {
  const errors = DURATION_UNITS.filter((unit) => {
    const value = duration[unit]
    return value !== undefined && !(Number.isSafeInteger(value) && value >= 0)
  }).map((unit) => error(`expiresIn.${unit}`, 'duration', 'expected a whole number, 0 or more'))
  if (errors.length > 0) return errors
  if (DURATION_UNITS.every((unit) => !duration[unit]))
    return [error('expiresIn', 'duration_empty', 'is no time at all: leave it out for credentials that do not expire')]
  return addDuration(now, duration) ? [] : [error('expiresIn', 'duration', 'goes beyond the year 9999')]
}

/** JSON pointers of the credential's own rules, as paths into the definition. */
const dotted = (found: FieldError[]): FieldError[] =>
  found.map(({ path, code, message }) => ({
    path: path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'),
    code: code.replace(/^credential\./, 'credential_template.'),
    message,
  }))

/** Every breach of a definition, with its path; an empty list means that it can be kept. */
export function templateErrors(definition: TemplateDefinition, now: Date): FieldError[] {
  const bounds = dotted(boundsErrors(definition))
  const named = ({ code }: FieldError) => code === 'credential_template.unsafe_name'
  if (!bounds.every(named)) return bounds
  const { name, description, proofType, claimSourceId, claimMappings, expiresIn, issuer, credentialBranding } =
    definition
  const shown = withoutNulls({ credentialBranding, description, issuer, name })
  const errors = [
    ...typeErrors(definition),
    ...textErrors('name', name, 255),
    ...textErrors('issuer.name', issuer.name, 255),
    ...(typeof description === 'string' && description.length > 4096
      ? [error('description', 'text', 'expected at most 4096 characters')]
      : []),
    ...dotted(brandingErrors(shown)),
    ...(typeof proofType === 'string' && !isProofType(proofType)
      ? [error('proofType', 'proof_type', `expected one of ${PROOF_TYPES.join(', ')}`)]
      : []),
    ...(typeof claimSourceId === 'string' && !isUuid(claimSourceId)
      ? [error('claimSourceId', 'claim_source', 'expected the id of a claim source')]
      : []),
    ...(claimMappings ? mappingErrors(claimMappings) : []),
    ...(expiresIn ? durationErrors(expiresIn, now) : []),
  ]
  const told = new Set(errors.map(({ path }) => path))
  return [...errors, ...bounds.filter(({ path }) => !told.has(path))]
}

/** Proof types by the key that an issuer holds, best known first. */
const BY_KEY = (['Ed25519Signature2018', 'BbsSignature2022', 'ecdsa-rdfc-2019'] as const).map(
  (proofType): [PublicKeyType, ProofType] => [keyTypeOf(proofType), proofType],
)

/** Key types that an issuer may hold to sign from the template. */
export const keyTypesFor = ({ proofType }: TemplateDefinition): PublicKeyType[] =>
  isProofType(proofType) ? [keyTypeOf(proofType)] : BY_KEY.map(([keyType]) => keyType)

/** The template's proof type, or the one that goes with the issuer's keys. */
export const proofTypeFor = ({ proofType }: TemplateDefinition, held: PublicKeyType[]): string =>
  proofType ?? BY_KEY.find(([keyType]) => held.includes(keyType))?.[1] ?? 'Ed25519Signature2018'

const contextsOf = ({ contexts }: TemplateDefinition): unknown[] => (contexts === null ? [] : listOf(contexts))

/** Of what is signed from the template. Throws `Refusal('credential.invalid')` for contexts that no credential may have. */
export const dataModelOf = (definition: TemplateDefinition): DataModel => chooseModel(contextsOf(definition)).dataModel

export interface FromTemplate {
  issuerDid: string
  /** What is said of the subject; `id` is the subject's own. */
  claims: Json
  /** Issuance; the expiration is counted from it, to the second. */
  now: Date
}

/**
 * The payload that a template makes of claims, for `normaliseSignPayload`. Without mappings the claims are the subject's
 * as they are. Throws `Refusal('credential_template.claims_missing')` with the paths of required claims.
 */
export function payloadFromTemplate(definition: TemplateDefinition, { issuerDid, claims, now }: FromTemplate): Json {
  const { claimMappings, credentialBranding, description, expiresIn, issuer, name, type } = definition
  const { subject, missing } = Object.keys(claimMappings ?? {}).length
    ? mapClaims(claimMappings ?? {}, { claims, credentialConfiguration: definition })
    : { subject: claims, missing: [] }
  if (missing.length > 0)
    throw new Refusal('credential_template.claims_missing', 'Claims are missing that the template requires.', missing)
  const issued = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
  const expires = expiresIn ? addDuration(issued, expiresIn) : undefined
  if (expiresIn && !expires)
    throw new Refusal('credential_template.invalid', 'The template’s credentials would expire beyond the year 9999.')
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
