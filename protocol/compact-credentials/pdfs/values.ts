import { UTCDate } from '@date-fns/utc'
import { format } from 'date-fns/format'
import { momentOf } from '../../dates.ts'
import { isObject, type Json } from '../../json.ts'
import { ownMember } from '../../names.ts'
import { LAST_SECOND } from '../claims.ts'
import type { Profile } from '../text.ts'

/** A claim in a value, `{{ name }}`; with `pattern` a date, `{{ date name 'dd MMM yyyy' }}`. */
export interface Placeholder {
  claim: string
  pattern?: string
}

/** A name that has blanks or quotes stands in brackets, as in Handlebars: `{{ [first name] }}`. */
const NAME = String.raw`(?:\[[^\]]+\]|[^\s{}'"[\]]+)`
const EXPRESSION = new RegExp(
  `^\\s*(?:date\\s+(?<dated>${NAME})\\s+(?:'(?<single>[^']+)'|"(?<double>[^"]+)")|(?<claim>${NAME}))\\s*$`,
  'u',
)
const MAX_PATTERN = 100

const bare = (name: string) => (name.startsWith('[') ? name.slice(1, -1) : name)

/** Whether the tokens of a date are those of Unicode Technical Standard #35 that date-fns knows. */
function isPattern(pattern: string): boolean {
  // days of the year and years of weeks are mostly mistakes for d and y, and date-fns writes to the console about them
  if (pattern.length > MAX_PATTERN || /[DY]/.test(pattern.replaceAll(/'[^']*'/g, ''))) return false
  try {
    return format(new UTCDate(0), pattern).length > 0
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function placeholderOf(expression: string): Placeholder | undefined {
  const { dated, single, double, claim } = EXPRESSION.exec(expression)?.groups ?? {}
  if (claim !== undefined) return { claim: bare(claim) }
  const pattern = single ?? double
  return dated !== undefined && pattern !== undefined && isPattern(pattern)
    ? { claim: bare(dated), pattern }
    : undefined
}

/** The texts and claims of a value, in their order; undefined where a `{{ }}` cannot be read. */
export function parseValue(value: string): (string | Placeholder)[] | undefined {
  const parts: (string | Placeholder)[] = []
  for (let at = 0; at < value.length; ) {
    const open = value.indexOf('{{', at)
    if (open !== at) parts.push(value.slice(at, open < 0 ? undefined : open))
    if (open < 0) break
    const close = value.indexOf('}}', open)
    const placeholder = close < 0 ? undefined : placeholderOf(value.slice(open + 2, close))
    if (!placeholder) return undefined
    parts.push(placeholder)
    at = close + 2
  }
  return parts
}

/** A member by its whole name, or by the steps of a path. */
function valueAt(scope: Json, name: string): unknown {
  const whole = ownMember(scope, name)
  if (whole !== undefined) return whole
  const dot = name.indexOf('.')
  const inner = dot < 0 ? undefined : ownMember(scope, name.slice(0, dot))
  return isObject(inner) ? valueAt(inner, name.slice(dot + 1)) : undefined
}

/** Other names of the time at which a credential expires (D-292). */
const EXPIRY = ['exp', 'expirationDate', 'validUntil']

/**
 * Finds claims by the names in a template: the issuer's own and, of a compact-semantic credential, those of its
 * subject; then the others of the credential.
 */
export function claimFinder(profile: Profile, decoded: Json): (name: string) => unknown {
  const { property_set: set, credentialSubject } = decoded
  const subject: unknown = Array.isArray(credentialSubject) ? credentialSubject[0] : credentialSubject
  const own = profile === 'compact' ? set : subject
  const scopes = [...(isObject(own) ? [own] : []), decoded]
  const find = (name: string) => scopes.map((scope) => valueAt(scope, name)).find((value) => value !== undefined)
  return (name) => find(name) ?? (name === 'expiry' ? EXPIRY.map(find).find((value) => value !== undefined) : undefined)
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** A claim as text; undefined for none, for a text without characters, and for objects. */
function textOf(value: unknown): string | undefined {
  const texts = (Array.isArray(value) ? value : [value]).filter(isScalar).map((each) => String(each).trim())
  return texts.filter((text) => text !== '').join(', ') || undefined
}

const DATE = /^\d{4}-\d\d-\d\d$/

/** A time in whole seconds (RFC 8392, NumericDate), a date, or a date and time; all of them in UTC. */
function dateOf(value: unknown): Date | undefined {
  if (typeof value === 'string')
    return momentOf(DATE.test(value) ? `${value}T00:00:00Z` : value, { zoneRequired: false })
  const isTime = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LAST_SECOND
  return isTime ? new Date(value * 1_000) : undefined
}

export interface FilledValue {
  text: string
  /** Claims that the credential has not. */
  missing: string[]
  /** Claims that are no dates where a date is asked for. */
  undated: string[]
}

/** A value with its claims. */
export function fillValue(parts: readonly (string | Placeholder)[], find: (name: string) => unknown): FilledValue {
  const missing: string[] = []
  const undated: string[] = []
  const textFor = ({ claim, pattern }: Placeholder): string => {
    const value = find(claim)
    const text = textOf(value)
    if (text === undefined) {
      missing.push(claim)
      return ''
    }
    if (pattern === undefined) return text
    const date = dateOf(value)
    if (!date) undated.push(claim)
    return date ? format(new UTCDate(date), pattern) : ''
  }
  const text = parts.map((part) => (typeof part === 'string' ? part : textFor(part))).join('')
  return { text, missing, undated }
}
