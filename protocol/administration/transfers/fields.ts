import { type FieldError, within } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import { isUuid } from '../../uuid.ts'

/** What a member of a row may be. */
export type Field = { optional?: true } & (
  | { type: 'id' | 'boolean' | 'time' | 'json' }
  /** Id of a row of another kind, or, where a kind is not named, of something that stayed behind. */
  | { type: 'reference'; to?: string }
  | { type: 'text'; most: number }
  | { type: 'choice'; of: readonly string[] }
  | { type: 'integer'; least: number; most: number }
  /** In base64. */
  | { type: 'bytes'; most: number }
  | { type: 'texts'; most: number; each: number }
)

export type Fields = Readonly<Record<string, Field>>

const MAX_TEXT = 8_192

/** Short names for the tables of kinds. */
export const id: Field = { type: 'id' }
export const time: Field = { type: 'time' }
export const flag: Field = { type: 'boolean' }
export const json: Field = { type: 'json' }
export const text = (most = MAX_TEXT): Field => ({ type: 'text', most })
export const texts = (most = 1_000, each = MAX_TEXT): Field => ({ type: 'texts', most, each })
export const choice = (...of: string[]): Field => ({ type: 'choice', of })
export const integer = (most = 2_147_483_647, least = 0): Field => ({ type: 'integer', least, most })
export const bytes = (most: number): Field => ({ type: 'bytes', most })
export const reference = (to?: string): Field => ({ type: 'reference', ...(to !== undefined && { to }) })
export const optional = (field: Field): Field => ({ ...field, optional: true })

/** As PostgreSQL writes a time in JSON, in UTC or not. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Returns what was expected; undefined where the value is right. */
function expectation(field: Field, value: unknown): string | undefined {
  switch (field.type) {
    case 'id':
    case 'reference':
      return typeof value === 'string' && isUuid(value) && value === value.toLowerCase()
        ? undefined
        : 'expected a UUID in lower case'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'expected true or false'
    case 'time':
      return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'expected a time of ISO 8601'
    case 'json':
      return typeof value === 'object' ? undefined : 'expected an object or a list'
    case 'text':
      return typeof value === 'string' && value.length <= field.most
        ? undefined
        : `expected a text of at most ${field.most} characters`
    case 'choice':
      return field.of.some((each) => each === value) ? undefined : `expected one of: ${field.of.join(', ')}`
    case 'integer':
      return Number.isSafeInteger(value) && Number(value) >= field.least && Number(value) <= field.most
        ? undefined
        : `expected a whole number from ${field.least} to ${field.most}`
    case 'bytes':
      return typeof value === 'string' && value.length <= (field.most * 4) / 3 + 4 && BASE64.test(value)
        ? undefined
        : `expected at most ${field.most} bytes in base64`
    case 'texts': {
      const isRight = (each: unknown) => typeof each === 'string' && each.length <= field.each
      return Array.isArray(value) && value.length <= field.most && value.every(isRight)
        ? undefined
        : `expected at most ${field.most} texts of at most ${field.each} characters`
    }
  }
}

/** Every breach of the fields by a row: unknown members, missing ones, and wrong values. `null` stands for none. */
export function fieldErrors(fields: Fields, row: unknown): FieldError[] {
  if (!isObject(row)) return [{ path: 'row', code: 'object', message: 'expected an object' }]
  const unknown = Object.keys(row)
    .filter((name) => !Object.hasOwn(fields, name))
    .slice(0, 10)
    .map((name) => ({
      path: within('row', name.slice(0, 100)),
      code: 'unknown',
      message: `expected none but: ${Object.keys(fields).join(', ')}`,
    }))
  const wrong = Object.entries(fields).flatMap(([name, field]) => {
    const path = within('row', name)
    const value = row[name] ?? null
    if (value === null) return field.optional ? [] : [{ path, code: 'required', message: 'expected a value' }]
    const message = expectation(field, value)
    return message === undefined ? [] : [{ path, code: field.type, message }]
  })
  return [...unknown, ...wrong]
}

/** The ids of other rows that a row names, with their members. */
export const referencesOf = (fields: Fields, row: Json): { name: string; to: string | undefined; id: string }[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'reference' && typeof row[name] === 'string' ? [{ name, to: field.to, id: row[name] }] : [],
  )
