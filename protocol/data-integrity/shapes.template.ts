/** The canonical statements of a shape. */
export interface Template {
  /** Each statement as texts and the indexes of the values between them. */
  statements: (string | number)[][]
  /** IRIs of the shape itself: a value that equals one of them names the same thing, so its document is another shape. */
  iris: ReadonlySet<string>
  /** Roughly the bytes that it takes. */
  size: number
}

export const TEXT = 'text'

/** Characters of a canonical form that is worth a template: filling in a longer one holds the event loop. */
export const MAX_CANONICAL = 32 * 1024

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> '
/** Comes before the type of a literal; the type of plain texts is not written (RDFC-1.0, section 6). */
const DATATYPE = '"^^'
/** Types of texts with a direction: the library takes two that differ in it alone for one. */
const DIRECTION = '<https://www.w3.org/ns/i18n#'
const IRIS = /<([^<>\s]*)>/g
/** Bytes of an element of a list, and of the object that it points to. */
const PART_BYTES = 40

/**
 * Cuts the canonical form of a marked document at its marks. `kinds`: of each mark. Undefined if a mark is missing or is
 * not a whole IRI or literal.
 */
export function cut(canonical: string, mark: string, kinds: ReadonlyMap<number, string>): Template | undefined {
  if (canonical.length > MAX_CANONICAL || canonical.includes('_:c14n1') || canonical.includes(DIRECTION))
    return undefined
  const pattern = new RegExp(`(?<!\\\\)(["<])([a-z][a-z0-9+.-]*:(?://)?)?${mark}(\\d+)q([">])`, 'g')
  const statements: (string | number)[][] = []
  const iris = new Set<string>()
  const found = new Set<number>()
  for (const line of canonical.split('\n').slice(0, -1)) {
    const parts: (string | number)[] = []
    let from = 0
    for (const match of line.matchAll(pattern)) {
      const [whole, open, scheme = TEXT, digits, close] = match
      const index = Number(digits)
      const fits = (open === '<') === (close === '>') && scheme === kinds.get(index)
      const before = line.slice(0, match.index)
      if (!fits || before.endsWith(TYPE) || before.endsWith(DATATYPE)) return undefined
      found.add(index)
      parts.push(line.slice(from, match.index + 1), index)
      from = match.index + whole.length - 1
    }
    const rest = line.slice(from)
    if (rest.includes(mark)) return undefined
    for (const [, iri = ''] of line.matchAll(IRIS)) if (!iri.includes(mark)) iris.add(iri)
    statements.push([...parts, rest])
  }
  if (found.size < kinds.size) return undefined
  const size = canonical.length * 2 + statements.flat().length * PART_BYTES
  // copied, because a slice keeps the whole text that it was cut from
  return structuredClone({ statements, iris, size })
}

/**
 * Fills values in. Undefined where the template does not hold: a value is an IRI of the shape, or two statements become
 * one, which the library may write twice.
 */
export function render({ statements, iris }: Template, values: readonly string[]): string | undefined {
  if (values.some((value) => iris.has(value))) return undefined
  const lines = statements
    .map((parts) => parts.map((part) => (typeof part === 'number' ? values[part] : part)).join(''))
    .sort()
  if (lines.some((line, index) => line === lines[index + 1])) return undefined
  return lines.map((line) => `${line}\n`).join('')
}
