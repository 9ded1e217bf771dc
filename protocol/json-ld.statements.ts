import { notAbsolute, notSigned } from './data-integrity/refusals.ts'
import { isSameDecimal } from './json.numbers.ts'
import type { Json } from './json.ts'

/** What an expanded document is made of beside properties (JSON-LD 1.1 API, section 5.1). */
const KEYWORDS = new Set('@direction @graph @id @included @index @language @list @reverse @set @type @value'.split(' '))

const XSD_DOUBLE = 'http://www.w3.org/2001/XMLSchema#double'

/**
 * Whether the literal that jsonld makes of a value says the same. A number whose shortest text has no point and a negative
 * exponent, such as 1e-7, becomes the integer 0; a text that is to be a double is read as far as it is a number.
 */
function isLiteral({ '@value': value, '@type': type }: Json): boolean {
  if (type === XSD_DOUBLE && typeof value === 'string') return isSameDecimal(value, Number(value).toExponential(15))
  if (typeof value !== 'number' || type === XSD_DOUBLE || type === '@json') return true
  return Number.isInteger(value) || String(value).includes('.')
}

type Part = Json | unknown[]

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

/**
 * jsonld keeps nodes by their names in plain objects. A name that every object answers to is not absolute and would be
 * refused in the end, but not before `__proto__` got an `@id`: all objects of the process have it then, and nothing is
 * signed or verified any more (D-144).
 */
function assertNodeName(document: object, id: unknown): void {
  if (typeof id === 'string' && id in Object.prototype) throw notAbsolute(document, id)
}

/** `assertNodeName` for every `@id` in it, wherever it stands. */
export function assertNodeNames(document: object, expanded: Part): void {
  const pending: Part[] = [expanded]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (!Array.isArray(next)) assertNodeName(document, next['@id'])
    for (const value of Object.values(next)) if (isPart(value)) pending.push(value)
  }
}

function assertNode(document: object, { '@id': id, '@type': types }: Json): void {
  assertNodeName(document, id)
  if (id === null || id === '' || (typeof id === 'string' && id.startsWith('@')))
    throw notAbsolute(document, String(id))
  if (Array.isArray(types) && types.includes(null)) throw notSigned(document, '', 'a type that is none is no statement')
}

function assertValue(document: object, value: Json): void {
  if (!isLiteral(value))
    throw notSigned(document, value['@value'], 'a number that is signed as another one: write it in another way')
  if (isPart(value['@value'])) assertNodeNames(document, value['@value'])
}

/**
 * What expansion keeps and no statement says, so that it would look signed and is not (D-130, D-155): keywords in places
 * where JSON-LD does not read them, names of nodes that are none, numbers and texts that become other literals. Safe mode
 * lets them pass. `expanded` is the document's expanded form; throws `Refusal('credential.invalid')`.
 */
export function assertStatements(document: object, expanded: unknown[]): void {
  const pending: Part[] = [expanded]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (Array.isArray(next)) {
      for (const each of next) if (isPart(each)) pending.push(each)
    } else if ('@value' in next) assertValue(document, next)
    else {
      assertNode(document, next)
      for (const [name, value] of Object.entries(next)) {
        if (name.startsWith('@') && !KEYWORDS.has(name)) throw notSigned(document, name, `${name} is no statement`)
        if (isPart(value)) pending.push(value)
      }
    }
  }
}
