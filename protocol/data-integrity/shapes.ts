import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Json } from './hash.ts'
import { render } from './shapes.render.ts'
import { cut, MAX_CANONICAL, type Template } from './shapes.template.ts'
import { createMarks, isIri, kindOf, literalOf, type Value } from './shapes.values.ts'

/**
 * Credentials that an issuer signs one after the other often differ only in their texts, numbers and booleans, and so
 * do their canonical N-Quads: each value is one IRI or one literal, and the statements are sorted. If this holds for a
 * shape, the library canonicalises it once, with marks in place of the values; further documents are filled in and
 * sorted (D-084). It does not hold, and the library canonicalises every document,
 * - if two blank nodes have the same statements as far as no other blank node is concerned;
 * - if a value is part of an IRI or a literal, or a type: it may change how others are read;
 * - if an IRI equals the value of a keyword or a type, or an IRI of the shape's own statements: which nodes are the same
 *   node is part of the shape;
 * - if a context has a term in the form of an IRI, if a text has a direction, or if two statements become one;
 * - if the canonical form is long, or the library's result for a real document of the shape differs.
 */
export interface Shape {
  /**
   * Everything except the values, with the kind of each. For equal IRIs also the first one that they equal: nodes of one
   * id are one node, and its statements are checked once per shape (D-130).
   */
  key: string
  /** Each value as its literal or IRI. */
  values: string[]
  /** For each value, the index of the first equal IRI; its own index otherwise. */
  first: number[]
  /** The document with another value in place of each. */
  fill(value: (index: number, kind: string) => Value): Json
}

const MAX_VALUES = 200

/** Members that change how others are read. */
const isConstant = (name: string): boolean => name.startsWith('@') || name === 'type'

const isValue = (value: unknown): value is Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Texts of the constant members, without contexts. */
function constantsOf(value: unknown, isConstantHere = false): string[] {
  if (typeof value === 'string') return isConstantHere ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => constantsOf(item, isConstantHere))
  return Object.entries(value).flatMap(([name, member]) =>
    name === '@context' ? [] : constantsOf(member, isConstantHere || isConstant(name)),
  )
}

/** A copy of a document with something else in place of each value. */
function walk(value: unknown, replace: (value: Value) => unknown): unknown {
  if (isValue(value)) return replace(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => walk(item, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isConstant(name) ? member : walk(member, replace)]),
  )
}

/** The shape of a document; undefined if a value has no kind, or if there are too many values. */
function shapeOf(document: Json): Shape | undefined {
  const values: string[] = []
  const kinds: string[] = []
  const first: number[] = []
  const indexes = new Map<string, number>()
  let usable = true
  const marked = walk(document, (value) => {
    const kind = kindOf(value) ?? ''
    usable &&= kind !== ''
    const literal = literalOf(value)
    const index = values.push(literal) - 1
    kinds.push(kind)
    if (isIri(kind) && !indexes.has(literal)) indexes.set(literal, index)
    first.push((isIri(kind) ? indexes.get(literal) : undefined) ?? index)
    return first[index] === index ? [kind] : [kind, first[index]]
  })
  if (!usable || values.length > MAX_VALUES || constantsOf(document).some((text) => indexes.has(text))) return undefined
  return {
    key: JSON.stringify(marked),
    values,
    first,
    fill: (value) => {
      let index = 0
      return walk(document, () => value(index, kinds[index++] ?? '')) as Json
    },
  }
}

export type Canonize = (document: Json) => Promise<string>
/** The contexts that a document names and that are not bundled. */
export type FindContexts = (document: Json) => Promise<Iterable<object>>

/** Whether a context defines a term in the form of an IRI, which a value may equal and then means something else. */
function definesIris(value: unknown, within = false): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, member]) =>
      (within && !Array.isArray(value) && name.includes(':')) || definesIris(member, within || name === '@context'),
  )
}

/** The template of a shape; undefined where it has none. Throws what `full` and `contexts` throw. */
async function templateOf(shape: Shape, document: Json, full: Canonize, contexts: FindContexts) {
  if (definesIris(document) || definesIris({ '@context': [...(await contexts(document))] })) return undefined
  const marks = createMarks(shape.key)
  const kinds = new Map<number, string>()
  const sample = shape.fill((index, kind) => {
    const first = shape.first[index] ?? index
    kinds.set(first, kind)
    return marks.of(first, kind)
  })
  return cut(await full(sample), marks, kinds)
}

/** Throws what `full` throws for the document itself. */
async function learn(shape: Shape, document: Json, full: Canonize, contexts: FindContexts) {
  const canonical = await full(document)
  if (canonical.length > MAX_CANONICAL) return { canonical }
  // whatever the copy fails for, the document has its canonical form
  const template = await templateOf(shape, document, full, contexts).catch(() => undefined)
  return template && render(template, shape.values) === canonical ? { canonical, template } : { canonical }
}

interface Entry {
  template: Promise<Template | undefined>
}

/** Each tenant has shapes of its own, so that none displaces another's; bytes as of `Template.size`. */
const TENANTS = 100
const SHAPES = { max: 100, maxSize: 512 * 1024 }
const CANDIDATES = { max: 500 }
const RETRY_MS = 60_000

const openTenant = () => ({
  shapes: new LRUCache<string, Entry>({ ...SHAPES, sizeCalculation: () => 1 }),
  candidates: new LRUCache<string, true>(CANDIDATES),
})

/** Caches a shape from its second document on. `scope` separates tenants, who have their own contexts. */
export function createShapes() {
  const tenants = new LRUCache<string, ReturnType<typeof openTenant>>({ max: TENANTS })

  return async function canonizeLike(
    scope: string,
    document: Json,
    full: Canonize,
    contexts: FindContexts = async () => [],
  ): Promise<string> {
    const shape = shapeOf(document)
    if (!shape) return full(document)
    const { shapes, candidates } = tenants.get(scope) ?? openTenant()
    if (!tenants.has(scope)) tenants.set(scope, { shapes, candidates })
    const key = createHash('sha256').update(shape.key).digest('base64url')
    const entry = shapes.get(key)
    if (entry) {
      const template = await entry.template
      return (template && render(template, shape.values)) ?? full(document)
    }
    if (!candidates.has(key)) {
      candidates.set(key, true)
      return full(document)
    }
    const learning = learn(shape, document, full, contexts)
    shapes.set(key, { template: learning.then(({ template }) => template).catch(() => undefined) })
    try {
      const { canonical, template } = await learning
      // without one it is tried again later: the reason may be a slow thread, not the shape
      const bound = template ? { size: template.size } : { ttl: RETRY_MS }
      shapes.set(key, { template: Promise.resolve(template) }, bound)
      return canonical
    } catch (error) {
      shapes.delete(key)
      throw error
    }
  }
}
