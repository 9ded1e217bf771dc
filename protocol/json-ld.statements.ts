import { notAbsolute, notSigned } from './data-integrity.refusals.ts'
import { isSameDecimal } from './json.numbers.ts'
import { isObject, type Json } from './json.ts'

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

function assertNode(document: object, node: Json): void {
  for (const name of Object.keys(node))
    if (name.startsWith('@') && !KEYWORDS.has(name)) throw notSigned(document, name, `${name} is no statement`)
  const { '@id': id, '@type': types } = node
  if (id === null || id === '' || (typeof id === 'string' && id.startsWith('@')))
    throw notAbsolute(document, String(id))
  if (Array.isArray(types) && types.includes(null)) throw notSigned(document, '', 'a type that is none is no statement')
}

/**
 * What expansion keeps and no statement says, so that it would look signed and is not (D-130, D-155): keywords in places
 * where JSON-LD does not read them, names of nodes that are none, numbers and texts that become other literals. Safe mode
 * lets them pass. `expanded` is the document's expanded form; throws `Refusal('credential.invalid')`.
 */
export function assertStatements(document: object, expanded: readonly object[]): void {
  const pending: unknown[] = [...expanded]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) pending.push(...next)
    else if (isObject(next)) {
      if (!('@value' in next)) {
        assertNode(document, next)
        pending.push(...Object.values(next))
      } else if (!isLiteral(next))
        throw notSigned(document, next['@value'], 'a number that is signed as another one: write it in another way')
    }
  }
}
