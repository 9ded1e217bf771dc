import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import type { Json } from './hash.ts'

/**
 * Credentials that an issuer signs one after the other often differ only in their texts, and so do their canonical
 * N-Quads: each text is one IRI or one literal, and the statements are sorted. If this holds for a shape, the library
 * canonicalises it once, with marks in place of the texts; further documents are filled in and sorted (D-084). It does
 * not hold, and the library canonicalises every document,
 * - with two or more blank nodes: their labels depend on the statements about them;
 * - if a text is part of an IRI or a literal, or a type: it may change how others are read;
 * - if an IRI equals the value of a keyword or a type: which nodes are the same node is part of the shape;
 * - if the library's result for a real document of the shape differs.
 */
export interface Shape {
  /**
   * Everything except the texts, with the kind of each text: an IRI by its scheme. For equal IRIs also the first one
   * that they equal: nodes of one id are one node, and its statements are checked once per shape (D-130).
   */
  key: string
  values: string[]
  /** For each value, the index of the first equal IRI; its own index otherwise. */
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

/** Members that change how others are read. */
const isConstant = (name: string): boolean => name.startsWith('@') || name === 'type'

/** Texts of the constant members, without contexts. */
function constantsOf(value: unknown, isConstantHere = false): string[] {
  if (typeof value === 'string') return isConstantHere ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => constantsOf(item, isConstantHere))
  return Object.entries(value).flatMap(([name, member]) =>
    name === '@context' ? [] : constantsOf(member, isConstantHere || isConstant(name)),
  )
}

/** The shape of a document; undefined if canonical N-Quads would escape a text, or if there are too many texts. */
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

/** Each statement as texts and the indexes of the values between them. */
type Template = (string | number)[][]

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> '
/** Comes before the type of a literal; the type of plain texts is not written (RDFC-1.0, section 6). */
const DATATYPE = '"^^'

/** Cuts the canonical form of a marked document at its marks; undefined if one is not a whole IRI or literal. */
function cut(canonical: string, mark: string, kinds: string[]): Template | undefined {
  if (canonical.includes('_:c14n1')) return undefined
  const pattern = new RegExp(`(?<!\\\\)(["<])([a-z][a-z0-9+.-]*:(?://)?)?${mark}(\\d+)q([">])`, 'g')
  const template: Template = []
  for (const line of canonical.split('\n').slice(0, -1)) {
    const parts: (string | number)[] = []
    let from = 0
    for (const match of line.matchAll(pattern)) {
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
const RETRY_MS = 60_000
const CANDIDATES = 5_000

/** Caches a shape from its second document on. `scope` separates tenants, who have their own contexts. */
export function createShapes() {
  const shapes = new LRUCache<string, { template: Promise<Template | undefined> }>({ max: SHAPES })
  const candidates = new LRUCache<string, true>({ max: CANDIDATES })

  return async function canonizeLike(scope: string, document: Json, full: Canonize): Promise<string> {
    const shape = shapeOf(document)
    if (!shape) return full(document)
    const key = `${scope}\n${shape.key}`
    const entry = shapes.get(key)
    if (entry) {
      const template = await entry.template
      return template ? render(template, shape.values) : full(document)
    }
    const digest = createHash('sha256').update(key).digest('base64url')
    if (!candidates.has(digest)) {
      candidates.set(digest, true)
      return full(document)
    }
    const learning = learn(shape, document, full)
    shapes.set(key, { template: learning.then(({ template }) => template).catch(() => undefined) })
    try {
      const { canonical, template } = await learning
      // tried again later: the reason may be a slow thread, not the shape
      if (!template) shapes.set(key, { template: Promise.resolve(undefined) }, { ttl: RETRY_MS })
      return canonical
    } catch (error) {
      shapes.delete(key)
      throw error
    }
  }
}
