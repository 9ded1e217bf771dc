import { isObject, type Json } from '../../json.ts'
import { type ClaimPath, isSamePath } from '../claims.ts'
import { strictJson } from '../disclosures.ts'
import { faulty } from '../faults.ts'
import { isIntegrity } from '../integrity.ts'

/** Whether the issuer must, may or must not make a claim selectively disclosable (draft-ietf-oauth-sd-jwt-vc-19, section 4.6.4). */
export type Selectivity = 'always' | 'allowed' | 'never'

export interface ClaimMetadata {
  path: ClaimPath
  display?: { locale: string; label: string; description?: string }[]
  mandatory?: boolean
  sd?: Selectivity
  svg_id?: string
}

export interface TypeDisplay {
  locale: string
  name: string
  description?: string
  /** Methods of rendering by their names; what is in them is checked as far as it has a meaning (section 4.5.1). */
  rendering?: Json
}

/** Type Metadata (section 4.2), with the members that have a meaning. */
export interface TypeDocument {
  vct: string
  name?: string
  description?: string
  extends?: string
  'extends#integrity'?: string
  display?: TypeDisplay[]
  claims?: ClaimMetadata[]
}

export const invalidType = (code: string, message: string) => faulty('TypeMetadata', `type_${code}`, message)

const malformed = (at: string, expected: string) =>
  invalidType('malformed', `The type metadata has no usable ${at}: expected ${expected}.`)

/** Bytes of a document at most. */
export const MAX_TYPE_BYTES = 256 * 1024
const MAX_CLAIMS = 1_000
const MAX_LOCALES = 100
const MAX_STEPS = 32

const LOCALE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/
const SVG_ID = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/
const SELECTIVITIES: readonly unknown[] = ['always', 'allowed', 'never', undefined]

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || isText(value)

/** Entries of a list of displays, one for each locale, with a text under `name`. */
function displaysOf(value: unknown, at: string, name: 'name' | 'label'): Json[] {
  if (!Array.isArray(value) || value.length > MAX_LOCALES)
    throw malformed(at, `a list of at most ${MAX_LOCALES} objects`)
  return (value as unknown[]).map((each) => {
    if (!isObject(each)) throw malformed(at, 'objects')
    if (!isText(each.locale) || !LOCALE.test(each.locale))
      throw malformed(`${at}.locale`, 'a language tag such as en-US')
    if (!isText(each[name])) throw malformed(`${at}.${name}`, 'a text')
    if (!isTextOrNone(each.description)) throw malformed(`${at}.description`, 'a text')
    return each
  })
}

function checkResource(value: unknown, at: string): void {
  if (value === undefined) return
  if (!isObject(value) || !isText(value.uri) || !/^(https:\/\/|data:)/.test(value.uri))
    throw malformed(`${at}.uri`, 'an https URL or a data URI')
  const integrity = value['uri#integrity']
  if (integrity !== undefined && !isIntegrity(integrity))
    throw malformed(`${at}.uri#integrity`, 'a hash such as sha256-…')
}

function checkRendering(rendering: unknown, at: string): void {
  if (rendering === undefined) return
  if (!isObject(rendering)) throw malformed(at, 'an object')
  const { simple, svg_templates: templates } = rendering
  if (simple !== undefined) {
    if (!isObject(simple)) throw malformed(`${at}.simple`, 'an object')
    checkResource(simple.logo, `${at}.simple.logo`)
    checkResource(simple.background_image, `${at}.simple.background_image`)
  }
  if (templates === undefined) return
  if (!Array.isArray(templates) || templates.length > MAX_LOCALES) throw malformed(`${at}.svg_templates`, 'a list')
  for (const template of templates as unknown[]) checkResource(template ?? {}, `${at}.svg_templates`)
}

function typeDisplays(value: unknown): TypeDisplay[] {
  return displaysOf(value, 'display', 'name').map((each) => {
    checkRendering(each.rendering, 'display.rendering')
    const { locale, name, description, rendering } = each
    return {
      locale: String(locale),
      name: String(name),
      ...(isText(description) && { description }),
      ...(isObject(rendering) && { rendering }),
    }
  })
}

const isStep = (step: unknown): step is string | number | null =>
  step === null || isText(step) || (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0)

const isPath = (path: unknown): path is ClaimPath =>
  Array.isArray(path) && path.length > 0 && path.length <= MAX_STEPS && path.every(isStep)

const isSelectivity = (sd: unknown): sd is Selectivity | undefined => SELECTIVITIES.includes(sd)

/** Claim metadata (section 4.6). */
function claimMetadata(value: unknown): ClaimMetadata {
  if (!isObject(value)) throw malformed('claims', 'objects')
  const { path, display, mandatory, sd, svg_id: svgId } = value
  if (!isPath(path)) throw malformed('claims.path', 'a list of texts, indexes and null that is not empty')
  if (mandatory !== undefined && typeof mandatory !== 'boolean') throw malformed('claims.mandatory', 'true or false')
  if (!isSelectivity(sd)) throw malformed('claims.sd', 'always, allowed or never')
  if (svgId !== undefined && !(isText(svgId) && SVG_ID.test(svgId)))
    throw malformed('claims.svg_id', 'letters, digits and underscores')
  const displays =
    display === undefined
      ? undefined
      : displaysOf(display, 'claims.display', 'label').map(({ locale, label, description }) => ({
          locale: String(locale),
          label: String(label),
          ...(isText(description) && { description }),
        }))
  return {
    path,
    ...(displays && { display: displays }),
    ...(mandatory !== undefined && { mandatory }),
    ...(sd !== undefined && { sd }),
    ...(svgId !== undefined && { svg_id: svgId }),
  }
}

function claimsOf(value: unknown): ClaimMetadata[] {
  if (!Array.isArray(value) || value.length > MAX_CLAIMS)
    throw malformed('claims', `a list of at most ${MAX_CLAIMS} objects`)
  const claims = (value as unknown[]).map(claimMetadata)
  const names = new Set(claims.map(({ path }) => JSON.stringify(path)))
  if (names.size < claims.length) throw malformed('claims.path', 'each path once')
  const ids = claims.flatMap(({ svg_id: id }) => id ?? [])
  if (new Set(ids).size < ids.length) throw malformed('claims.svg_id', 'each id once')
  return claims
}

/** Reads Type Metadata. Members without a meaning are left out (section 4.2). Throws `Faulty`. */
export function readType(bytes: Uint8Array): TypeDocument {
  if (bytes.length > MAX_TYPE_BYTES)
    throw invalidType('too_large', `The type metadata has more than ${MAX_TYPE_BYTES} bytes.`)
  const document = strictJson(bytes, 'TypeMetadata', 'type')
  if (!isObject(document)) throw malformed('form', 'a JSON object')
  const { vct, name, description, extends: base, 'extends#integrity': integrity, display, claims } = document
  if (!isText(vct) || vct === '') throw malformed('vct', 'a text')
  if (!isTextOrNone(name)) throw malformed('name', 'a text')
  if (!isTextOrNone(description)) throw malformed('description', 'a text')
  if (!isTextOrNone(base) || base === '') throw malformed('extends', 'the URI of a type')
  if (integrity !== undefined && !isIntegrity(integrity))
    throw malformed('extends#integrity', 'a hash such as sha256-…')
  return {
    vct,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(base !== undefined && { extends: base }),
    ...(integrity !== undefined && { 'extends#integrity': integrity }),
    ...(display !== undefined && { display: typeDisplays(display) }),
    ...(claims !== undefined && { claims: claimsOf(claims) }),
  }
}

/** The claim metadata of a path, if there is one. */
export const claimAt = (claims: readonly ClaimMetadata[], path: ClaimPath): ClaimMetadata | undefined =>
  claims.find((each) => isSamePath(each.path, path))
