import { createHash } from 'node:crypto'

/** What differs between the documents of one shape. */
export type Value = string | number | boolean

export const TEXT = 'text'
export const INTEGER = 'integer'
export const DOUBLE = 'double'
export const BOOLEAN = 'boolean'

/** IRIs that no serialiser changes (RFC 3986, without what needs an escape in N-Quads). */
const IRI = /^([a-z][a-z0-9+.-]*:(?:\/\/)?)[\w.~:/?#[\]@!$&'()*+,;=%-]*$/
/** Literals that canonical N-Quads write as they are (RDFC-1.0, section 6). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what needs an escape
const PLAIN = /^[^\u0000-\u001f"\\\u007f]*$/

function numberKind(value: number): string | undefined {
  if (Math.abs(value) >= 1e21 || String(value).includes('.')) return DOUBLE
  // 1e-7 and its like are refused, -0 as well
  return Number.isInteger(value) && !Object.is(value, -0) ? INTEGER : undefined
}

/** The kind of a value, of an IRI its scheme with the colon. Undefined if canonical N-Quads would escape the value. */
export function kindOf(value: Value): string | undefined {
  if (typeof value === 'string') return IRI.exec(value)?.[1] ?? (PLAIN.test(value) ? TEXT : undefined)
  return typeof value === 'number' ? numberKind(value) : BOOLEAN
}

export const isIri = (kind: string): boolean => kind.includes(':')

/** The canonical literal of a double: at most 16 digits, one before the point (JSON-LD 1.1 API, section 8.2). */
export function doubleOf(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(15).split('e')
  return `${digits.replace(/(?<!0)0+$/, '').replace(/\.$/, '.0')}E${Number(exponent)}`
}

/** A value as canonical N-Quads write it. An integer of a term whose type is xsd:double is written as a double. */
export const literalOf = (value: Value): string =>
  typeof value === 'number' && numberKind(value) === DOUBLE ? doubleOf(value) : String(value)

/** A mark in a statement: what stands before it and after it belongs to the shape. */
export interface Found {
  index: number
  /** Of its literal or IRI as the library wrote it; undefined if only a part of it is the mark. */
  kind: string | undefined
  /** Where the mark begins and ends in the line, without quotes and brackets. */
  from: number
  to: number
}

/** Values that no document has, to be found again in its canonical form: numbers of 15 digits, and longer texts. */
export interface Marks {
  of(index: number, kind: string): Value
  find(line: string): Found[]
  /** Whether a text holds any mark. */
  in(text: string): boolean
}

const DIGITS = 10

/** Marks for at most 1,000 values, drawn from `key`. */
export function createMarks(key: string): Marks {
  const drawn = createHash('sha256').update(key).digest()
  const word = `z${drawn.toString('hex', 0, 12)}x`
  const digits = String(drawn.readBigUInt64BE(12) % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0')
  const text = `(?<open>["<])(?<scheme>[a-z][a-z0-9+.-]*:(?://)?)?${word}(?<text>\\d+)q(?<close>[">])`
  const number = `"4(?<point>\\.?)${digits}(?<number>\\d{3})7(?<exponent>E\\d+)?"`
  const pattern = new RegExp(`(?<!\\\\)(?:${text}|${number})`, 'g')

  function kindOfMark(groups: Record<string, string | undefined>): string | undefined {
    if (groups.text === undefined) {
      if (!groups.point) return groups.exponent ? undefined : INTEGER
      return groups.exponent ? DOUBLE : undefined
    }
    if ((groups.open === '<') !== (groups.close === '>')) return undefined
    return groups.scheme ?? TEXT
  }

  return {
    of(index, kind) {
      const serial = `${digits}${String(index).padStart(3, '0')}7`
      if (kind === INTEGER || kind === BOOLEAN) return Number(`4${serial}`)
      if (kind === DOUBLE) return Number(`4.${serial}`)
      return `${isIri(kind) ? kind : ''}${word}${index}q`
    },
    find: (line) =>
      [...line.matchAll(pattern)].map(({ index, groups = {}, 0: whole }) => ({
        index: Number(groups.text ?? groups.number),
        kind: kindOfMark(groups),
        from: index + 1,
        to: index + whole.length - 1,
      })),
    in: (text) => text.includes(word) || text.includes(digits),
  }
}
