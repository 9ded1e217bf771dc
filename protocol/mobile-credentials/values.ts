import { withoutPadding } from '../base64url.ts'
import { type Cbor, type CborMap, Tag } from '../cose/cbor.ts'
import { momentOf } from '../dates.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { parseJson, type Values } from '../json.strict.ts'
import { isObject, isUsableText, USABLE_TEXT } from '../json.ts'

/** CBOR tags of dates (RFC 8949, section 3.4.1; RFC 8943). */
export const DATE_TAG = { 'date-time': 0, 'full-date': 1004 } as const

/** A value of an element, or what was expected in its place. */
export type Read = { value: Cbor } | { errors: FieldError[] }

/** Reads a JSON value as one of a type; `path` is its place in the request, `values` bounds the JSON of its texts. */
export type Type = (json: unknown, path: string, values: Values) => Read

const refused = (path: string, code: string, message: string): Read => ({ errors: [{ path, code, message }] })

/** JSON in texts as strictly as the body that contains them, with one number of values for all of them (D-329). */
const parsed = (text: string, path: string, values: Values): unknown => {
  try {
    return parseJson(text, values)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'request.malformed_json') return text // a text that is no JSON is what it says
    const errors = error.errors.map((each) => ({ ...each, path: `${path}${each.path && `.${each.path}`}` }))
    throw new Refusal('credential.invalid', 'A text that is JSON breaks a rule of bodies; see errors.', errors)
  }
}

/** The specification has every value as a text: a text that is the JSON of a list or an object is read so. */
const asStructure = (value: unknown, path: string, values: Values): unknown =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? parsed(value, path, values) : value

const LONGEST_SCALAR = 30

/** The same of a number or a boolean. */
const asScalar = (value: unknown, path: string, values: Values): unknown =>
  typeof value === 'string' && value.length <= LONGEST_SCALAR ? parsed(value, path, values) : value

/** A text of at most so many characters. */
export const text =
  (maxLength = 1_000_000, pattern?: RegExp, what = `a text of 1 to ${maxLength} characters`): Type =>
  (json, path) =>
    typeof json === 'string' &&
    json.length > 0 &&
    json.length <= maxLength &&
    isUsableText(json) &&
    (pattern?.test(json) ?? true)
      ? { value: json }
      : refused(path, 'text', `expected ${what}`)

/** ISO/IEC 18013-5, table 5: at most 150 characters of ISO/IEC 8859-1. */
export const latin: Type = text(150, /^[ -~\u00a0-\u00ff]+$/u, '1 to 150 characters of ISO/IEC 8859-1')
export const country: Type = text(2, /^[A-Z]{2}$/, 'two capital letters (ISO 3166-1)')

export const bool: Type = (json, path, values) => {
  const value = asScalar(json, path, values)
  return typeof value === 'boolean' ? { value } : refused(path, 'boolean', 'expected true or false')
}

/** An unsigned integer. */
export const uint =
  (maximum: number, allowed?: readonly number[]): Type =>
  (json, path, values) => {
    const value = asScalar(json, path, values)
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximum
    if (fits && (allowed?.includes(value) ?? true)) return { value }
    return refused(path, 'integer', `expected ${allowed ? allowed.join(', ') : `a whole number from 0 to ${maximum}`}`)
  }

const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  momentOf(`${value}T00:00:00Z`, { zoneRequired: true }) !== undefined

export const fullDate: Type = (json, path) =>
  isDay(json)
    ? { value: new Tag(DATE_TAG['full-date'], json) }
    : refused(path, 'full_date', 'expected a date, YYYY-MM-DD (RFC 3339, full-date)')

/** Without fractions of a second, in UTC (ISO/IEC 18013-5, 7.2.1). */
export const toTdate = (moment: Date): Tag =>
  new Tag(DATE_TAG['date-time'], moment.toISOString().replace(/\.\d{3}Z$/, 'Z'))

export const tdate: Type = (json, path) => {
  const moment = momentOf(json, { zoneRequired: true })
  return moment
    ? { value: toTdate(moment) }
    : refused(path, 'tdate', 'expected a date and time with its zone (RFC 3339)')
}

/** ISO/IEC 18013-5, table 5: some dates may have a time. */
export const anyDate: Type = (json, path, values) => {
  const read = isDay(json) ? fullDate(json, path, values) : tdate(json, path, values)
  return 'value' in read ? read : refused(path, 'date', 'expected a date, YYYY-MM-DD, or a date and time with its zone')
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** A byte string, of base64url or base64; a data URL is read by its content. */
export const bytes: Type = (json, path) => {
  const encoded = typeof json === 'string' ? json.replace(/^data:[\w.+/-]+;base64,/, '') : ''
  if (encoded === '' || !BASE64.test(encoded) || withoutPadding(encoded).length % 4 === 1)
    return refused(path, 'bytes', 'expected bytes in base64url or base64')
  return { value: new Uint8Array(Buffer.from(encoded, 'base64')) }
}

const collect = (reads: readonly Read[]): { values: Cbor[]; errors: FieldError[] } => ({
  values: reads.flatMap((read) => ('value' in read ? [read.value] : [])),
  errors: reads.flatMap((read) => ('errors' in read ? read.errors : [])),
})

const listed = (reads: readonly Read[]): Read => {
  const { values, errors } = collect(reads)
  return errors.length > 0 ? { errors } : { value: values }
}

export const list =
  (item: Type): Type =>
  (json, path, values) => {
    const items = asStructure(json, path, values)
    if (!Array.isArray(items)) return refused(path, 'array', 'expected an array')
    return listed(items.map((each, at) => item(each, within(path, at), values)))
  }

/** A map with the named members and no others. */
export const map =
  (members: Readonly<Record<string, Type>>, required: readonly string[] = []): Type =>
  (json, path, values) => {
    const object = asStructure(json, path, values)
    if (!isObject(object)) return refused(path, 'map', 'expected an object')
    const missing = required.filter((name) => !Object.hasOwn(object, name))
    const reads = Object.entries(object).map(([name, value]): [string, Read] => {
      const type = Object.hasOwn(members, name) ? members[name] : undefined
      const at = within(path, name)
      return [
        name,
        type ? type(value, at, values) : refused(at, 'unknown', `expected ${Object.keys(members).join(', ')}`),
      ]
    })
    const errors = [
      ...missing.map((name) => ({ path: within(path, name), code: 'required', message: `expected ${name}` })),
      ...collect(reads.map(([, read]) => read)).errors,
    ]
    if (errors.length > 0) return { errors }
    const entries = reads.flatMap(([name, read]): [string, Cbor][] => ('value' in read ? [[name, read.value]] : []))
    return { value: new Map(entries) }
  }

const TYPED: Readonly<Record<string, Type>> = {
  binary: bytes,
  'full-date': fullDate,
  tdate,
}

/** `{type, value}` says the CBOR type of a value where JSON has none for it. */
const typedOf = (json: unknown): { type: Type; value: unknown } | undefined => {
  if (!isObject(json) || Object.keys(json).length !== 2 || typeof json.type !== 'string' || !('value' in json))
    return undefined
  const type = Object.hasOwn(TYPED, json.type) ? TYPED[json.type] : undefined
  return type && { type, value: json.value }
}

const MAX_DEPTH = 16

/** A value of a namespace that the platform does not know: as JSON has it. Integers beyond a double's are refused. */
export const free =
  (depth = 0): Type =>
  (json, path, values) => {
    const typed = typedOf(json)
    if (typed) return typed.type(typed.value, within(path, 'value'), values)
    if (depth > MAX_DEPTH) return refused(path, 'depth', `expected at most ${MAX_DEPTH} levels`)
    if (typeof json === 'string') return isUsableText(json) ? { value: json } : refused(path, 'text', USABLE_TEXT)
    if (typeof json === 'boolean' || json === null) return { value: json }
    if (typeof json === 'number') return { value: json }
    if (Array.isArray(json)) return listed(json.map((each, at) => free(depth + 1)(each, within(path, at), values)))
    if (!isObject(json)) return refused(path, 'value', 'expected a JSON value')
    const entries: CborMap = new Map()
    const errors: FieldError[] = []
    for (const [name, value] of Object.entries(json)) {
      if (!isUsableText(name)) return refused(path, 'text', `${USABLE_TEXT} in names`)
      const read = free(depth + 1)(value, within(path, name), values)
      if ('value' in read) entries.set(name, read.value)
      else for (const error of read.errors) errors.push(error)
    }
    return errors.length > 0 ? { errors } : { value: entries }
  }

/** A type whose value may also come as `{type, value}`. */
export const untyped =
  (type: Type): Type =>
  (json, path, values) => {
    const typed = typedOf(json)
    return typed ? type(typed.value, within(path, 'value'), values) : type(json, path, values)
  }
