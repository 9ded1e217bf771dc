import { notAbsolute, notSigned } from './data-integrity/refusals.ts'
import { excerpt } from './errors.ts'
import { isSameDecimal } from './json.numbers.ts'
import { isObject, type Json } from './json.ts'

/** Keywords of an expanded document (JSON-LD 1.1 API, section 5.1). */
const KEYWORDS = new Set('@direction @graph @id @included @index @language @list @reverse @set @type @value'.split(' '))

const XSD_DOUBLE = 'http://www.w3.org/2001/XMLSchema#double'

/**
 * Whether jsonld writes a value as a literal of the same value. It does not for a number whose shortest text has a
 * negative exponent and no point, such as 1e-7, which becomes 0, or for a double as text with more than jsonld reads of
 * it.
 */
function isLiteral({ '@value': value, '@type': type }: Json): boolean {
  if (type === XSD_DOUBLE && typeof value === 'string') return isSameDecimal(value, Number(value).toExponential(15))
  if (typeof value !== 'number' || type === XSD_DOUBLE || type === '@json') return true
  return Number.isInteger(value) || String(value).includes('.')
}

type Part = Json | unknown[]

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

/**
 * jsonld keeps nodes by their names in plain objects. A name of Object.prototype is refused here, before jsonld gives
 * `__proto__` an `@id`: every object of the process would have it, and nothing could be signed or verified (D-144).
 */
function assertNodeName(document: object, id: unknown): void {
  if (typeof id === 'string' && id in Object.prototype) throw notAbsolute(document, id)
}

/** Applies `assertNodeName` to every `@id` in the document. */
export function assertNodeNames(document: object, expanded: Part): void {
  const pending: Part[] = [expanded]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (!Array.isArray(next)) assertNodeName(document, next['@id'])
    for (const value of Object.values(next)) if (isPart(value)) pending.push(value)
  }
}

/** Whether an inverse member names no node: then no statement has its name, nor the keys that it may have. */
function isEmptyReverse(reverse: unknown): boolean {
  if (!isObject(reverse)) return false
  const members = Object.values(reverse)
  return members.length === 0 || members.some((nodes) => Array.isArray(nodes) && nodes.length === 0)
}

function assertNode(document: object, node: Json): void {
  const { '@id': id, '@type': types, '@reverse': reverse } = node
  assertNodeName(document, id)
  if (id === null || id === '' || (typeof id === 'string' && id.startsWith('@')))
    throw notAbsolute(document, String(id))
  if (Array.isArray(types) && types.includes(null))
    throw notSigned(document, '', 'a type of null is not signed: name a type, or leave it out')
  if (Array.isArray(types) && new Set(types).size < types.length)
    throw notSigned(document, '', 'a type is named twice, and only one of the names is signed: leave one out')
  for (const keyword of ['@language', '@direction'])
    if (keyword in node) throw notSigned(document, keyword, `${keyword} is signed of texts alone: leave it out`)
  if (isEmptyReverse(reverse))
    throw notSigned(document, '@reverse', 'an inverse member without a node is not signed: leave it out')
}

function assertValue(document: object, value: Json): void {
  if (!isLiteral(value))
    throw notSigned(
      document,
      value['@value'],
      'a number would be signed as another value: write it in another way, or as text',
    )
  if (isPart(value['@value'])) assertNodeNames(document, value['@value'])
}

const textOf = (value: Json): string => JSON.stringify([value['@value'], value['@type'], value['@language']])

/**
 * jsonld takes two texts of a property that differ in direction alone for one, and no statement has the second. Nodes of
 * one id are one node.
 */
function assertDirections(document: object, expanded: unknown[]): void {
  const known = new Map<string, unknown>()
  const pending: Part[] = [expanded]
  for (let nth = 0, next = pending.pop(); next; nth++, next = pending.pop()) {
    const node = Array.isArray(next) ? undefined : (next['@id'] ?? nth)
    for (const [property, member] of Object.entries(next)) {
      if (isPart(member)) pending.push(member)
      // a list has each of its items
      if (node === undefined || property === '@list' || !Array.isArray(member)) continue
      for (const value of member) {
        if (!isObject(value) || !('@value' in value)) continue
        const key = JSON.stringify([node, property, textOf(value)])
        const direction = value['@direction'] ?? null
        if (known.has(key) && known.get(key) !== direction)
          throw notSigned(
            document,
            value['@value'],
            'the same text stands here with two directions, of which only one would be signed: leave one out',
          )
        known.set(key, direction)
      }
    }
  }
}

/**
 * Refuses what expansion keeps but no statement contains, since it looks signed and is not (D-130, D-155): keywords
 * where JSON-LD ignores them, languages and directions of nodes, types that are named twice, inverse members without a
 * node, invalid names of nodes, numbers and texts that become other literals. Safe mode accepts them. `expanded` is the document's expanded form. Throws `Refusal('credential.invalid')`.
 */
export function assertStatements(document: object, expanded: unknown[]): void {
  const pending: Part[] = [expanded]
  let directed = false
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (Array.isArray(next)) {
      for (const each of next) if (isPart(each)) pending.push(each)
    } else if ('@value' in next) {
      assertValue(document, next)
      directed ||= '@direction' in next
    } else {
      assertNode(document, next)
      for (const [name, value] of Object.entries(next)) {
        if (name.startsWith('@') && !KEYWORDS.has(name))
          throw notSigned(document, name, `${excerpt(name)} is not signed here: leave it out`)
        if (isPart(value)) pending.push(value)
      }
    }
  }
  if (directed) assertDirections(document, expanded)
}
