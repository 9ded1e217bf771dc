import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import type { Json } from './hash.ts'

/**
 * Credentials of a batch are alike but for the texts in them, and so are their canonical N-Quads: each text is one IRI
 * or one literal, and the statements are sorted. Where that can be shown for a shape, the library canonicalises it once,
 * with marks in place of the texts, and the rest is filling in and sorting (D-084). It cannot be shown, and the library
 * does every document, where
 * - two or more blank nodes are there: their labels follow from what is said of them;
 * - a text turns up anywhere but as a whole IRI or a whole literal, or as a type: it decides how others are read;
 * - an IRI is that of a keyword's value or of a type: which nodes are the same node is a part of the shape;
 * - the library's answer for a real document of the shape is another one.
 */
export interface Shape {
  /**
   * Everything but the texts, and of each what kind it is: an IRI is read by its scheme. Of equal IRIs also which one they
   * equal: nodes of one id are one node, and what may be said of it is checked once per shape (D-130).
   */
  key: string
  values: string[]
  /** For each value, the index of the first one that it equals as an IRI; its own else. */
  first: number[]
  /** The document with another text in place of each value. */
  fill(text: (index: number, kind: string) => string): Json
}

/** IRIs that no serialiser changes (RFC 3986, without what needs an escape in N-Quads). */
const IRI = /^([a-z][a-z0-9+.-]*:(?:\/\/)?)[\w.~:/?#[\]@!$&'()*+,;=%-]*$/
/** Literals that canonical N-Quads write as they are (RDFC-1.0, section 6). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what needs an escape
const PLAIN = /^[^\u0000-\u001f"\\\u007f]*$/
const TEXT = 'text'
const MAX_VALUES = 200

const kindOf = (value: string): string | undefined => IRI.exec(value)?.[1] ?? (PLAIN.test(value) ? TEXT : undefined)

/** Members that say how others are read. */
const isConstant = (name: string): boolean => name.startsWith('@') || name === 'type'

/** Texts of the members that stay as they are, contexts aside. */
function constantsOf(value: unknown, isConstantHere = false): string[] {
  if (typeof value === 'string') return isConstantHere ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => constantsOf(item, isConstantHere))
  return Object.entries(value).flatMap(([name, member]) =>
    name === '@context' ? [] : constantsOf(member, isConstantHere || isConstant(name)),
  )
}

/** The shape of a document; undefined for one that has texts which canonical N-Quads escape, or very many. */
function shapeOf(document: Json): Shape | undefined {
  const values: string[] = []
  const kinds: string[] = []
  const first: number[] = []
  const indexes = new Map<string, number>()
  let usable = true
  const walk = (value: unknown, replace: (value: string) => unknown): unknown => {
    if (typeof value === 'string') return replace(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => walk(item, replace))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isConstant(name) ? member : walk(member, replace)]),
    )
  }
  const marked = walk(document, (value) => {
    const kind = kindOf(value)
    usable &&= kind !== undefined
    const index = values.push(value) - 1
    kinds.push(kind ?? '')
    if (kind !== TEXT && !indexes.has(value)) indexes.set(value, index)
    first.push((kind === TEXT ? undefined : indexes.get(value)) ?? index)
    return first[index] === index ? [kind] : [kind, first[index]]
  })
  if (!usable || values.length > MAX_VALUES || constantsOf(document).some((text) => indexes.has(text))) return undefined
  return {
    key: JSON.stringify(marked),
    values,
    first,
    fill: (text) => {
      let index = 0
      return walk(document, () => text(index, kinds[index++] ?? '')) as Json
    },
  }
}

/** Each statement as text and, in turn, the indexes of the values between. */
type Template = (string | number)[][]

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> '
/** Before the type of a literal; one type, that of plain texts, is not written (RDFC-1.0, section 6). */
const DATATYPE = '"^^'

/** Cuts the canonical form of a marked document at its marks; undefined where one is not a whole IRI or literal. */
function cut(canonical: string, mark: string, kinds: string[]): Template | undefined {
  if (canonical.includes('_:c14n1')) return undefined
  const found = new RegExp(`(?<!\\\\)(["<])([a-z][a-z0-9+.-]*:(?://)?)?${mark}(\\d+)q([">])`, 'g')
  const template: Template = []
  for (const line of canonical.split('\n').slice(0, -1)) {
    const parts: (string | number)[] = []
    let from = 0
    for (const match of line.matchAll(found)) {
      const [whole, open, scheme = TEXT, digits, close] = match
      const index = Number(digits)
      const fits = (open === '<') === (close === '>') && scheme === kinds[index]
      const before = line.slice(0, match.index)
      if (!fits || before.endsWith(TYPE) || before.endsWith(DATATYPE)) return undefined
      parts.push(line.slice(from, match.index + 1), index)
      from = match.index + whole.length - 1
    }
    const rest = line.slice(from)
    if (rest.includes(mark)) return undefined
    template.push([...parts, rest])
  }
  return template
}

const render = (template: Template, values: string[]): string => {
  const lines = template.map((parts) => parts.map((part) => (typeof part === 'number' ? values[part] : part)).join(''))
  return [...new Set(lines)]
    .sort()
    .map((line) => `${line}\n`)
    .join('')
}

export type Canonize = (document: Json) => Promise<string>

/** Throws what `full` throws for the document itself. */
async function learn(shape: Shape, document: Json, full: Canonize) {
  const canonical = await full(document)
  const mark = `z${createHash('sha256').update(shape.key).digest('hex').slice(0, 24)}x`
  const kinds: string[] = []
  const sample = shape.fill((index, kind) => {
    kinds[index] = kind
    return `${kind === TEXT ? '' : kind}${mark}${shape.first[index]}q`
  })
  try {
    const template = cut(await full(sample), mark, kinds)
    const right = template !== undefined && render(template, shape.values) === canonical
    return { canonical, template: right ? template : undefined }
  } catch (error) {
    if (error instanceof Refusal) return { canonical, template: undefined }
    throw error
  }
}

const SHAPES = 500
const ASKED_AGAIN_MS = 60_000
const SEEN = 5_000

/** Remembers shapes from the second document on. `scope` parts what may not be shared: contexts are a tenant's own. */
export function createShapes() {
  const known = new LRUCache<string, { template: Promise<Template | undefined> }>({ max: SHAPES })
  const seen = new LRUCache<string, true>({ max: SEEN })

  return async function canonizeLike(scope: string, document: Json, full: Canonize): Promise<string> {
    const shape = shapeOf(document)
    if (!shape) return full(document)
    const key = `${scope}\n${shape.key}`
    const entry = known.get(key)
    if (entry) {
      const template = await entry.template
      return template ? render(template, shape.values) : full(document)
    }
    const digest = createHash('sha256').update(key).digest('base64url')
    if (!seen.has(digest)) {
      seen.set(digest, true)
      return full(document)
    }
    const learning = learn(shape, document, full)
    known.set(key, { template: learning.then(({ template }) => template).catch(() => undefined) })
    try {
      const { canonical, template } = await learning
      // once more after a while: a thread that was short of time is no property of the shape
      if (!template) known.set(key, { template: Promise.resolve(undefined) }, { ttl: ASKED_AGAIN_MS })
      return canonical
    } catch (error) {
      known.delete(key)
      throw error
    }
  }
}
