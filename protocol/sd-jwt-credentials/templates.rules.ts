import { MAX_PATH, pathFault } from '../credentials/claim-paths.ts'
import { keyAttestationErrors } from '../credentials/key-attestations.ts'
import { isRecordableType, MAX_TYPE_BYTES } from '../credentials/types.ts'
import { type FieldError, within } from '../errors.ts'
import { isObject } from '../json.ts'
import { isReservedName } from '../names.ts'
import { addDuration, DURATION_UNITS } from '../time.ts'
import { MAX_DECOYS } from './build.ts'
import { SET_BY_ISSUANCE } from './claims.ts'
import { RESERVED_NAMES } from './disclosures.ts'
import { isIntegrity } from './integrity.ts'
import {
  templateError as error,
  ISSUED_AS,
  isGiven,
  isNames,
  pathName,
  type SdJwtTemplateInput,
  type TemplateClaim,
  type TemplatePath,
} from './templates.ts'

const MAX_CLAIMS = 200
const MAX_DEPTH = 10
const MAX_TYPE = 1_024
const MAX_DISPLAYS = 50

const NAME = /^[^\p{Cc}]{1,255}$/u
/** BCP 47, as far as a reader needs it. */
const LOCALE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$/
const COLOR = /^#[0-9A-Fa-f]{6}$/

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most

/** A collision-resistant name (RFC 7519, section 2): a URI, or another text without white space. */
export const isTypeName = (vct: string): boolean =>
  vct.length <= MAX_TYPE && isRecordableType(vct) && /^[^\p{White_Space}\p{C}]+$/u.test(vct)

/** What `isTypeName` takes. */
export const TYPE_NAME = `1 to ${MAX_TYPE} characters without white space, at most ${MAX_TYPE_BYTES} bytes in UTF-8`

/** In small letters and without space before it, as verifiers of the metadata read it. */
const isHttps = (text: string): boolean => text.startsWith('https://') && URL.canParse(text)

function pathErrors(at: string, path: unknown): FieldError[] {
  if (!Array.isArray(path) || path.length === 0 || path.length > MAX_DEPTH || path[0] === null)
    return [error(at, 'claim_path', `expected 1 to ${MAX_DEPTH} steps, the first of them a name`)]
  const wrong = path.findIndex(
    (step: unknown) => !(step === null || (typeof step === 'string' && NAME.test(step) && !isReservedName(step))),
  )
  if (wrong >= 0)
    return [
      error(within(at, wrong), 'claim_name', 'expected a name of 1 to 255 characters that is not reserved, or null'),
    ]
  if (path.some((step: unknown) => typeof step === 'string' && RESERVED_NAMES.has(step)))
    return [
      error(at, 'claim_name', `expected none of ${[...RESERVED_NAMES].join(', ')}, which SD-JWT has a meaning for`),
    ]
  if (SET_BY_ISSUANCE.has(String(path[0])))
    return [error(at, 'claim_name', `expected none of ${[...SET_BY_ISSUANCE].join(', ')}, which the platform sets`)]
  return []
}

function displayErrors(at: string, display: unknown, label: 'label' | 'name'): FieldError[] {
  if (!isGiven(display)) return []
  if (!Array.isArray(display) || display.length > MAX_DISPLAYS)
    return [error(at, 'display', `expected a list of at most ${MAX_DISPLAYS}`)]
  const locales = display.map((each: unknown) => (isObject(each) ? each.locale : undefined))
  return display.flatMap((each: unknown, index): FieldError[] => {
    const here = within(at, index)
    if (!isObject(each)) return [error(here, 'display', `expected an object with locale and ${label}`)]
    const { locale, description, backgroundColor, textColor, logoUrl } = each
    const isColor = (value: unknown) => !isGiven(value) || (typeof value === 'string' && COLOR.test(value))
    return [
      ...(typeof locale === 'string' && LOCALE.test(locale)
        ? []
        : [error(`${here}.locale`, 'locale', 'expected a language tag such as en-US')]),
      ...(locales.indexOf(locale) === index ? [] : [error(`${here}.locale`, 'locale', 'expected each locale once')]),
      ...(isText(each[label], 255) ? [] : [error(`${here}.${label}`, 'text', 'expected 1 to 255 characters')]),
      ...(isGiven(description) && !isText(description, 4_096)
        ? [error(`${here}.description`, 'text', 'expected 1 to 4096 characters')]
        : []),
      ...(isColor(backgroundColor) ? [] : [error(`${here}.background_color`, 'color', 'expected #RRGGBB')]),
      ...(isColor(textColor) ? [] : [error(`${here}.text_color`, 'color', 'expected #RRGGBB')]),
      ...(!isGiven(logoUrl) || (isText(logoUrl, 2_048) && isHttps(logoUrl))
        ? []
        : [error(`${here}.logo_url`, 'url', 'expected an https URL')]),
    ]
  })
}

const MEMBERS: readonly string[] = ['path', 'map_from', 'default_value', 'required', 'disclosure', 'display']

function claimErrors(at: string, claim: unknown): FieldError[] {
  if (!isObject(claim)) return [error(at, 'claim_mapping', 'expected an object with a path')]
  const foreign = Object.keys(claim).find((name) => !MEMBERS.includes(name))
  if (foreign !== undefined)
    return [error(within(at, foreign.slice(0, 255)), 'claim_mapping', `expected one of ${MEMBERS.join(', ')}`)]
  const { path, map_from, default_value, required, disclosure, display } = claim
  const errors = [...pathErrors(`${at}.path`, path), ...displayErrors(`${at}.display`, display, 'label')]
  if (errors.length > 0) return errors
  if (disclosure !== 'selectively' && disclosure !== 'always')
    errors.push(error(`${at}.disclosure`, 'disclosure', 'expected selectively or always'))
  const isMapped = isGiven(map_from) || isGiven(default_value)
  if (isMapped && !isNames(path as TemplatePath))
    errors.push(error(`${at}.path`, 'claim_path', 'expected no null in the path of a claim with a source'))
  if (isGiven(map_from) && pathFault(map_from))
    errors.push(
      error(
        `${at}.map_from`,
        'claim_path',
        `expected a path such as claims.given_name, at most ${MAX_PATH} characters`,
      ),
    )
  if (isGiven(required) && typeof required !== 'boolean')
    errors.push(error(`${at}.required`, 'claim_mapping', 'expected true or false'))
  if (required === true && !isMapped)
    errors.push(error(`${at}.required`, 'claim_mapping', 'expected map_from or default_value of a required claim'))
  return errors
}

const begins = (one: TemplatePath, other: TemplatePath): boolean =>
  one.length < other.length && one.every((step, index) => other[index] === step)

function claimsErrors(claims: unknown): FieldError[] {
  if (!Array.isArray(claims) || claims.length === 0)
    return [error('claims', 'claim_mapping', 'expected a list of claims, each with a path')]
  if (claims.length > MAX_CLAIMS) return [error('claims', 'too_many', `expected at most ${MAX_CLAIMS} claims`)]
  const errors = claims.flatMap((claim, index) => claimErrors(within('claims', index), claim))
  if (errors.length > 0) return errors
  const all = claims as TemplateClaim[]
  const names = all.map(({ path }) => JSON.stringify(path))
  return all.flatMap(({ path, map_from, default_value }, index): FieldError[] => {
    const at = `${within('claims', index)}.path`
    if (names.indexOf(JSON.stringify(path)) < index) return [error(at, 'claim_twice', 'expected each path once')]
    const isMapped = isGiven(map_from) || isGiven(default_value)
    const inside = isMapped
      ? all.find((other) => (isGiven(other.map_from) || isGiven(other.default_value)) && begins(other.path, path))
      : undefined
    return inside
      ? [error(at, 'claim_twice', `expected no source inside of ${pathName(inside.path)}, which has its own`)]
      : []
  })
}

/** Every breach of the rules of a template; an empty list: it is valid. */
export function sdJwtTemplateErrors(template: SdJwtTemplateInput, now: Date): FieldError[] {
  const { name, vct, vctIntegrity, description, claims, decoys, expiration, display, issuedAs } = template
  const integrity = (path: string) =>
    error(path, 'integrity', 'expected sha256-, sha384- or sha512- and a digest in base64')
  const errors = [
    ...(isText(name, 255) ? [] : [error('name', 'text', 'expected 1 to 255 characters')]),
    ...(!isGiven(description) || isText(description, 4_096)
      ? []
      : [error('description', 'text', 'expected 1 to 4096 characters')]),
    ...(vct === undefined || isTypeName(vct) ? [] : [error('vct', 'type', `expected ${TYPE_NAME}`)]),
    ...(!isGiven(vctIntegrity) || isIntegrity(vctIntegrity) ? [] : [integrity('vct_integrity')]),
    ...(!isGiven(template.extendsIntegrity) || isIntegrity(template.extendsIntegrity)
      ? []
      : [integrity('extends_integrity')]),
    ...(template.extends === undefined || isTypeName(template.extends)
      ? []
      : [error('extends', 'type', `expected ${TYPE_NAME}`)]),
    ...(isGiven(template.extendsIntegrity) && !isGiven(template.extends)
      ? [error('extends_integrity', 'integrity', 'expected together with extends')]
      : []),
    ...claimsErrors(claims),
    ...(Number.isInteger(decoys) && decoys >= 0 && decoys <= MAX_DECOYS
      ? []
      : [error('decoys', 'decoys', `expected a whole number of at most ${MAX_DECOYS}`)]),
    ...displayErrors('display', display, 'name'),
    ...keyAttestationErrors(template.keyAttestations),
    ...(template.keyAttestations !== undefined && !template.keyBinding
      ? [error('key_attestations', 'key_binding', 'expected only with key_binding: there is no key to attest')]
      : []),
    ...(ISSUED_AS.includes(issuedAs) ? [] : [error('issued_as', 'choice', `expected one of ${ISSUED_AS.join(', ')}`)]),
    ...(issuedAs === 'x5c' && template.issuerDid !== undefined
      ? [error('issuer_did', 'issuer', 'expected none with issued_as x5c: a document signer signs')]
      : []),
    ...(issuedAs !== 'x5c' && template.documentSignerId !== undefined
      ? [error('document_signer_id', 'issuer', 'expected only with issued_as x5c')]
      : []),
  ]
  if (!expiration) return errors
  if (DURATION_UNITS.every((unit) => !expiration[unit]))
    errors.push(error('expiration', 'duration_empty', 'is 0: leave it out for credentials that do not expire'))
  else if (!addDuration(now, expiration)) errors.push(error('expiration', 'duration', 'must end before the year 10000'))
  return errors
}
