import { BOOLEAN, DOUBLE, INTEGER, type Marks } from './shapes.values.ts'

/** Of a statement: a text, the index of a value, of one that is written as a double, or of a blank node. */
export type Part = string | number | { double: number } | { node: number }

/** The canonical statements of a shape. */
export interface Template {
  statements: Part[][]
  /** For each blank node, if there are two or more, the indexes of the statements about it. */
  nodes: number[][]
  /** IRIs of the shape itself: a value that equals one of them names the same thing, so its document is another shape. */
  iris: ReadonlySet<string>
  /** Roughly the bytes that it takes. */
  size: number
}

/** Characters of a canonical form that is worth a template: filling in a longer one holds the event loop. */
export const MAX_CANONICAL = 32 * 1024
const MAX_NODES = 50

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> '
/** Comes before the type of a literal; the type of plain texts is not written (RDFC-1.0, section 6). */
const DATATYPE = '"^^'
/** Types of texts with a direction: the library takes two that differ in it alone for one. */
const DIRECTION = '<https://www.w3.org/ns/i18n#'
const XSD = '"^^<http://www.w3.org/2001/XMLSchema#'
const IRIS = /<([^<>\s]*)>/g
/** Blank nodes as subject, object and graph. */
const NODES = /(?:^|(?<=^\S+ <[^>]*> )|(?<= )(?=\S+ \.$))_:c14n(\d+)(?= )/g
/** Bytes of an element of a list, and of the object that it points to. */
const PART_BYTES = 40

interface Token {
  from: number
  to: number
  part: Exclude<Part, string>
  /** The mark of a boolean is an integer, and so is its type. */
  isBoolean?: boolean
}

const indexOf = (part: Token['part']): number => {
  if (typeof part === 'number') return part
  return 'node' in part ? part.node : part.double
}

/** How a mark of a kind is filled in; undefined if the library wrote it in another way. */
function partOf(index: number, kind: string | undefined, found: string | undefined): Token['part'] | undefined {
  if (found === undefined || kind === undefined) return undefined
  if (kind === BOOLEAN) return found === INTEGER ? index : undefined
  if (kind === INTEGER && found === DOUBLE) return { double: index }
  return kind === found ? index : undefined
}

/** The marks of a line; undefined if one is not a whole IRI or literal. */
function marksIn(line: string, marks: Marks, kinds: ReadonlyMap<number, string>): Token[] | undefined {
  const tokens: Token[] = []
  for (const { index, kind, from, to } of marks.find(line)) {
    const part = partOf(index, kinds.get(index), kind)
    const before = line.slice(0, from - 1)
    if (part === undefined || before.endsWith(TYPE) || before.endsWith(DATATYPE)) return undefined
    tokens.push({ from, to, part, isBoolean: kinds.get(index) === BOOLEAN })
  }
  return tokens
}

const nodesIn = (line: string): Token[] =>
  [...line.matchAll(NODES)].map(({ index, 0: label, 1: node }) => ({
    from: index,
    to: index + label.length,
    part: { node: Number(node) },
  }))

function cutLine(line: string, tokens: Token[]): Part[] {
  const parts: Part[] = []
  let from = 0
  let retype = false
  const push = (text: string) =>
    parts.push(retype && text.startsWith(`${XSD}integer>`) ? text.replace(`${XSD}integer>`, `${XSD}boolean>`) : text)
  for (const token of tokens.toSorted((one, other) => one.from - other.from)) {
    push(line.slice(from, token.from))
    parts.push(token.part)
    retype = token.isBoolean === true
    from = token.to
  }
  push(line.slice(from))
  return parts
}

const mentionsOf = (statements: Part[][], node: number): number[] =>
  statements.flatMap((parts, index) =>
    parts.some((part) => typeof part === 'object' && 'node' in part && part.node === node) ? [index] : [],
  )

/**
 * Cuts the canonical form of a marked document at its marks. `kinds`: of each mark. Undefined if a mark is missing or is
 * not a whole IRI or literal.
 */
export function cut(canonical: string, marks: Marks, kinds: ReadonlyMap<number, string>): Template | undefined {
  if (canonical.length > MAX_CANONICAL || canonical.includes(DIRECTION)) return undefined
  const hasNodes = canonical.includes('_:c14n1')
  const statements: Part[][] = []
  const iris = new Set<string>()
  const found = new Set<number>()
  const nodes = new Set<number>()
  for (const line of canonical.split('\n').slice(0, -1)) {
    const tokens = marksIn(line, marks, kinds)
    if (tokens === undefined) return undefined
    for (const { part } of tokens) found.add(indexOf(part))
    const labels = hasNodes ? nodesIn(line) : []
    for (const { part } of labels) nodes.add(indexOf(part))
    const parts = cutLine(line, [...tokens, ...labels])
    if (parts.some((part) => typeof part === 'string' && marks.in(part))) return undefined
    for (const [, iri = ''] of line.matchAll(IRIS)) if (!marks.in(iri)) iris.add(iri)
    statements.push(parts)
  }
  if (found.size < kinds.size || nodes.size > MAX_NODES) return undefined
  const mentions = Array.from({ length: nodes.size }, (_, node) => mentionsOf(statements, node))
  const size = canonical.length * 2 + (statements.flat().length + mentions.flat().length) * PART_BYTES
  // copied, because a slice keeps the whole text that it was cut from
  return structuredClone({ statements, nodes: mentions, iris, size })
}
