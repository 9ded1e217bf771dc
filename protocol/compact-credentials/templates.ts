import { assertMapped, memberAt } from '../credentials/claim-paths.ts'
import { isRecordableType, MAX_TYPE_BYTES } from '../credentials/types.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import type { Json } from '../json.ts'
import { isReservedStep } from '../names.ts'
import { addDuration, DURATION_UNITS, type Duration, wholeSeconds } from '../time.ts'
import { type ClaimValue, isClaimValue, isOwnName, MAX_CLAIMS } from './claims.ts'
import type { Profile } from './text.ts'

/** Source of a claim: a path into the claims of a request such as `claims.given_name`, and a default value. */
export interface CompactMapping {
  mapFrom?: string
  defaultValue?: ClaimValue
  /** Without a value nothing is signed. */
  required?: boolean
}

/** The template of many compact credentials (specification, Compact credential template). */
export interface CompactTemplate {
  type: string
  claimSourceId?: string
  mappings: Record<string, CompactMapping>
  /** From issuance to expiration. */
  expiration?: Duration
  revocable: boolean
}

const MAX_TYPE = 1_024
const MAX_PATH = 512
/** No white space of any alphabet, nothing invisible, as characters that a reader cannot tell from none. */
const TYPE = /^[^\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}]+$/u
const RESERVED = 'VerifiableCredential'
/**
 * Registered claims that a template may set, besides those of the issuer's own. The claims of a compact-semantic credential
 * are those of its subject, whose `id` is one of them.
 */
const ALSO_MAPPED: Readonly<Record<Profile, readonly string[]>> = { compact: ['sub', 'aud'], 'compact-semantic': [] }

const error = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `credential_template.${code}`,
  message,
})

/** Types that differ in case or in the form of their characters alone are the same to people. */
export const typeKeyOf = (type: string): string => type.normalize('NFKC').toLowerCase().normalize('NFKC')

/** The rules of a type (specification, Limits); that a tenant has it once is the database's to say. */
function typeErrors(type: string): FieldError[] {
  const isShort = type.length <= MAX_TYPE && isRecordableType(type) && isRecordableType(typeKeyOf(type))
  if (!isShort || !TYPE.test(type) || !TYPE.test(type.normalize('NFKC')))
    return [
      error(
        'type',
        'type',
        `expected 1 to ${MAX_TYPE} characters without white space, at most ${MAX_TYPE_BYTES} bytes in UTF-8`,
      ),
    ]
  if (typeKeyOf(type) === typeKeyOf(RESERVED))
    return [error('type', 'type_reserved', `expected another type than ${RESERVED}`)]
  return []
}

function mappingErrors(profile: Profile, name: string, { mapFrom, defaultValue }: CompactMapping): FieldError[] {
  const at = within('credential_mappings', name.slice(0, 255))
  if (!isOwnName(name) && !ALSO_MAPPED[profile].includes(name))
    return [error(at, 'claim_name', 'expected 1 to 128 characters, and no reserved name')]
  if (mapFrom === undefined && defaultValue === undefined)
    return [error(at, 'claim_mapping', 'expected map_from, default_value or both')]
  const steps = mapFrom === undefined ? [] : mapFrom.split('.')
  const isPath = steps.every((step) => step.trim() !== '' && !isReservedStep(step))
  return (mapFrom?.length ?? 0) <= MAX_PATH && isPath
    ? []
    : [
        error(
          within(at, 'map_from'),
          'claim_path',
          `expected a path such as claims.given_name, at most ${MAX_PATH} characters`,
        ),
      ]
}

/** Every breach of the rules of a template; an empty list: it is valid. */
export function templateErrors(
  { type, mappings, expiration }: CompactTemplate,
  now: Date,
  profile: Profile = 'compact',
): FieldError[] {
  const names = Object.keys(mappings)
  const errors = [
    ...typeErrors(type),
    ...(names.length > MAX_CLAIMS
      ? [error('credential_mappings', 'too_many', `expected at most ${MAX_CLAIMS} claims`)]
      : names.flatMap((name) => mappingErrors(profile, name, mappings[name] ?? {}))),
  ]
  if (!expiration) return errors
  if (DURATION_UNITS.every((unit) => !expiration[unit]))
    errors.push(error('expiration', 'duration_empty', 'is 0: leave it out for credentials that do not expire'))
  else if (!addDuration(now, expiration)) errors.push(error('expiration', 'duration', 'must end before the year 10000'))
  return errors
}

/** The part of a path below `claims`; undefined for a path into another source. */
function belowClaims(path: string): string | undefined {
  if (path.startsWith('claims.')) return path.slice('claims.'.length)
  return /^(authenticationProvider|credentialConfiguration)\./.test(path) ? undefined : path
}

/** The claims of a request that a template takes, by the claims that they become; without a default value they may be needed. */
export const pathsOf = ({ mappings }: CompactTemplate): Map<string, { path: string; isNeeded: boolean }> =>
  new Map(
    Object.entries(mappings).flatMap(([name, { mapFrom, defaultValue, required }]) => {
      const path = mapFrom === undefined ? undefined : belowClaims(mapFrom)
      return path === undefined ? [] : [[name, { path, isNeeded: required === true && defaultValue === undefined }]]
    }),
  )

/** Paths in the claims of a request that the template takes. */
export const takenPaths = (template: CompactTemplate): string[] =>
  [...pathsOf(template).values()].map(({ path }) => path)

/**
 * The payload of a credential from a template. Throws `Refusal('credential_template.claims_unmapped')`,
 * `Refusal('credential_template.claims_missing')` and `Refusal('credential.invalid')` with places in `claims`.
 */
export function payloadFromTemplate(
  profile: Profile,
  template: CompactTemplate,
  { claims, issuer, now }: { claims: Json; issuer?: string | null | undefined; now: Date },
): Json {
  assertMapped(takenPaths(template), claims)
  const set: Record<string, ClaimValue> = {}
  const missing: FieldError[] = []
  const wrong: FieldError[] = []
  for (const [name, { mapFrom, defaultValue, required }] of Object.entries(template.mappings)) {
    const below = mapFrom === undefined ? undefined : belowClaims(mapFrom)
    const value = (below === undefined ? undefined : memberAt(claims, below)) ?? defaultValue
    const at = within('claims', ...(below ?? name).split('.'))
    if (value === undefined) {
      if (required) missing.push(error(at, 'claim_required', `the template needs it for the claim ${name}`))
    } else if (isClaimValue(value)) set[name] = value
    else wrong.push({ path: at, code: 'claim.value', message: 'expected a text, a number or true or false' })
  }
  if (missing.length > 0)
    throw new Refusal('credential_template.claims_missing', 'Claims that the template requires are missing.', missing)
  if (wrong.length > 0) throw new Refusal('credential.invalid', 'A claim has a value that cannot be signed.', wrong)
  const end = template.expiration && addDuration(now, template.expiration)
  if (profile === 'compact-semantic')
    return {
      type: [template.type],
      ...(issuer && { issuer }),
      ...(end && { expirationDate: wholeSeconds(end) }),
      credentialSubject: set,
    }
  const { sub, aud, ...own } = set
  return {
    ...(issuer && { iss: issuer }),
    ...(sub !== undefined && { sub }),
    ...(aud !== undefined && { aud }),
    type: template.type,
    ...(end && { exp: Math.floor(end.getTime() / 1_000) }),
    property_set: own,
  }
}
