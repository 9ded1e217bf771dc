import { type ClaimRoots, claimPath, MAX_PATH, pathFault, valueAt } from '../credentials/claim-paths.ts'
import { type KeyRequirements, keyAttestationErrors } from '../credentials/key-attestations.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { isReservedName } from '../names.ts'
import { addDuration, DAY_MS, DURATION_UNITS, type Duration, fullHourBefore, wholeSeconds } from '../time.ts'
import type { MobilePayload } from './payload.ts'

/** Source of an element: a path such as `claims.family_name`, and a default value. */
export interface ElementMapping {
  map_from?: string
  /** Any JSON value except null. */
  default_value?: unknown
  /** Without a value nothing is signed. */
  required?: boolean
}

/** The template of many mobile credentials. */
export interface MobileTemplate {
  /** The docType. */
  type: string
  claimSourceId?: string
  /** Elements by namespace. */
  mappings: Record<string, Record<string, ElementMapping>>
  /** From issuance to the end of the validity; by default as long as a mobile credential is valid. */
  expiration?: Duration
  revocable: boolean
  /** What the wallet's provider has to attest of the device key. */
  keyAttestations?: KeyRequirements
}

const MAX_ELEMENTS = 200
const MAX_NAME = 255
const NAME = /^[^\p{Cc}\p{Z}]{1,255}$/u

const error = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `credential_template.${code}`,
  message,
})

const isName = (name: string): boolean => NAME.test(name) && !isReservedName(name)
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const MEMBERS: readonly string[] = ['map_from', 'default_value', 'required']

function elementErrors(at: string, mapping: unknown): FieldError[] {
  if (!isObject(mapping)) return [error(at, 'claim_mapping', 'expected an object with map_from, default_value or both')]
  const foreign = Object.keys(mapping).find((name) => !MEMBERS.includes(name))
  if (foreign !== undefined)
    return [error(within(at, foreign.slice(0, MAX_NAME)), 'claim_mapping', `expected one of ${MEMBERS.join(', ')}`)]
  const { map_from, default_value, required } = mapping
  if (!isGiven(map_from) && !isGiven(default_value))
    return [error(at, 'claim_mapping', 'expected map_from, default_value or both')]
  if (isGiven(map_from) && pathFault(map_from))
    return [
      error(
        `${at}.map_from`,
        'claim_path',
        `expected a path such as claims.given_name, at most ${MAX_PATH} characters`,
      ),
    ]
  if (isGiven(required) && typeof required !== 'boolean')
    return [error(`${at}.required`, 'claim_mapping', 'expected true or false')]
  return []
}

function mappingErrors(mappings: unknown): FieldError[] {
  const at = 'claim_mappings'
  if (!isObject(mappings) || Object.keys(mappings).length === 0)
    return [error(at, 'claim_mapping', 'expected an object with elements by namespace')]
  const elements = Object.values(mappings).reduce<number>(
    (count, each) => count + (isObject(each) ? Object.keys(each).length : 0),
    0,
  )
  if (elements > MAX_ELEMENTS) return [error(at, 'too_many', `expected at most ${MAX_ELEMENTS} elements`)]
  return Object.entries(mappings).flatMap(([namespace, members]) => {
    const inside = within(at, namespace.slice(0, MAX_NAME))
    if (!isName(namespace) || !isObject(members) || Object.keys(members).length === 0)
      return [error(inside, 'claim_name', 'expected a namespace with at least one element, and no reserved name')]
    return Object.entries(members).flatMap(([name, mapping]) => {
      const element = within(inside, name.slice(0, MAX_NAME))
      return isName(name)
        ? elementErrors(element, mapping)
        : [error(element, 'claim_name', 'expected 1 to 255 characters without spaces, and no reserved name')]
    })
  })
}

/** Every breach of the rules of a template; an empty list: it is valid. */
export function mobileTemplateErrors(
  { type, mappings, expiration, keyAttestations }: MobileTemplate,
  now: Date,
): FieldError[] {
  const errors = [
    ...(isName(type) ? [] : [error('type', 'type', 'expected a docType of 1 to 255 characters without white space')]),
    ...mappingErrors(mappings),
    ...keyAttestationErrors(keyAttestations),
  ]
  if (!expiration) return errors
  if (DURATION_UNITS.every((unit) => !expiration[unit]))
    errors.push(error('expiration', 'duration_empty', 'is 0: leave it out for the default'))
  else if (!addDuration(now, expiration)) errors.push(error('expiration', 'duration', 'must end before the year 10000'))
  return errors
}

/** Paths in the claims of a request that the template takes. */
export const takenPaths = ({ mappings }: Pick<MobileTemplate, 'mappings'>): string[] =>
  Object.values(mappings).flatMap((elements) =>
    Object.values(elements).flatMap(({ map_from }) => (map_from === undefined ? [] : (claimPath(map_from) ?? []))),
  )

/**
 * When a credential for a wallet counts as signed: at the full hour before, so that its times do not tell which credentials
 * were issued together (RFC 9901, section 10.1; D-550). One that lives less than a day has the time itself.
 */
export function issuanceTimeOf({ expiration }: Pick<MobileTemplate, 'expiration'>, now: Date): Date {
  const end = expiration && addDuration(now, expiration)
  const isShort = end !== undefined && end.getTime() - now.getTime() < DAY_MS
  return isShort ? now : fullHourBefore(now)
}

/**
 * Returns the payload of a credential from a template and claims. Throws
 * `Refusal('credential_template.claims_missing')`, which names each claim.
 */
export function mobilePayloadFrom(
  template: MobileTemplate,
  { now, ...roots }: ClaimRoots & { now: Date },
): MobilePayload {
  const missing: FieldError[] = []
  const itemsToSign: Record<string, Json> = {}
  for (const [namespace, elements] of Object.entries(template.mappings)) {
    const signed: Json = {}
    for (const [name, { map_from, default_value, required }] of Object.entries(elements)) {
      const found = map_from === undefined ? undefined : valueAt(map_from, roots)
      const value = found ?? default_value
      if (isGiven(value)) signed[name] = value
      else if (required)
        missing.push(error(map_from ?? name, 'claim_required', `the template needs it for the element ${name}`))
    }
    if (Object.keys(signed).length > 0) itemsToSign[namespace] = signed
  }
  if (missing.length > 0)
    throw new Refusal('credential_template.claims_missing', 'Claims that the template requires are missing.', missing)
  const end = template.expiration && addDuration(now, template.expiration)
  return { docType: template.type, itemsToSign, ...(end && { validityInfo: { validUntil: wholeSeconds(end) } }) }
}
