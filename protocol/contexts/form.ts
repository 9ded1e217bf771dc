import { type FieldError, Refusal } from '../errors.ts'
import { isObject, listOf, type Place, pointerTo } from '../json.ts'
import { isReservedName, tableOf } from '../names.ts'

type Form = readonly [fits: (value: unknown) => boolean, expected: string]

const isText = (value: unknown): boolean => typeof value === 'string'
const text: Form = [isText, 'must be text']
const textOrNull: Form = [(value) => value === null || isText(value), 'must be text or null']
const flag: Form = [(value) => typeof value === 'boolean', 'must be true or false']
const direction: Form = [(value) => [null, 'ltr', 'rtl'].includes(value as string), 'must be ltr, rtl or null']
const container: Form = [
  (value) => value === null || listOf(value).every(isText),
  'must be the name of a container, or a list of them',
]

/** Entries of a context that are not terms (JSON-LD 1.1, section 9.15). */
const ENTRIES = tableOf<Form>({
  '@base': textOrNull,
  '@direction': direction,
  '@import': text,
  '@language': textOrNull,
  '@propagate': flag,
  '@protected': flag,
  '@version': [(value) => value === 1.1, 'must be 1.1'],
  '@vocab': textOrNull,
})

/** Entries of an expanded term definition (JSON-LD 1.1, section 9.15.1). */
const DEFINITION = tableOf<Form>({
  '@container': container,
  '@direction': direction,
  '@id': textOrNull,
  '@index': text,
  '@language': textOrNull,
  '@nest': text,
  '@prefix': flag,
  '@protected': flag,
  '@reverse': text,
  '@type': text,
})

/** Keywords that a context cannot define (JSON-LD 1.1, section 1.7). `@type` may get a container. */
const KEYWORDS = new Set([
  ...['@container', '@default', '@embed', '@explicit', '@graph', '@id', '@included', '@index', '@json'],
  ...['@list', '@nest', '@none', '@omitDefault', '@omitGraph', '@prefix', '@preserve', '@requireAll', '@reverse'],
  ...['@set', '@value'],
])

const MAX_ERRORS = 10

type Report = (place: Place, code: string, message: string) => void

function checkDefinition(definition: unknown, place: Place, report: Report): void {
  if (definition === null || typeof definition === 'string') return
  if (!isObject(definition)) {
    report(place, 'form', 'must be text, null or an object')
    return
  }
  for (const [keyword, value] of Object.entries(definition)) {
    const [fits, expected] = DEFINITION.get(keyword) ?? []
    if (keyword === '@context') checkContext(value, { step: keyword, within: place }, report)
    else if (fits && !fits(value)) report({ step: keyword, within: place }, 'form', String(expected))
  }
}

/** Reports values of a wrong type in a context, and terms with the name of a member of every object. */
function checkContext(context: unknown, place: Place, report: Report): void {
  if (Array.isArray(context)) {
    for (const [step, each] of context.entries()) checkContext(each, { step, within: place }, report)
    return
  }
  if (context === null || typeof context === 'string') return
  if (!isObject(context)) {
    report(place, 'form', 'must be a URL, an object or null')
    return
  }
  for (const [term, value] of Object.entries(context)) {
    const at = { step: term, within: place }
    const [fits, expected] = ENTRIES.get(term) ?? []
    if (term === '@context') checkContext(value, at, report)
    else if (KEYWORDS.has(term)) report(at, 'form', 'is a keyword, which a context cannot define')
    else if (isReservedName(term))
      report(at, 'unsafe_name', 'is a reserved name: every JavaScript object has a member of it')
    else if (fits === undefined) checkDefinition(value, at, report)
    else if (!fits(value)) report(at, 'form', String(expected))
  }
}

/**
 * Returns the malformed entries in the contexts of a document, at any depth, each with its JSON pointer. The library
 * checks only some entries, and its errors about the others name no place.
 */
export function contextErrors(document: object): FieldError[] {
  const errors: FieldError[] = []
  const report: Report = (place, code, message) => {
    if (errors.length < MAX_ERRORS) errors.push({ path: pointerTo(place), code: `context.${code}`, message })
  }
  const pending: [value: object, place?: Place][] = [[document]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, within] = next
    for (const [step, member] of Object.entries(value)) {
      if (step === '@context') checkContext(member, { step, within }, report)
      else if (typeof member === 'object' && member !== null) pending.push([member, { step, within }])
    }
  }
  return errors
}

/** Throws `Refusal('context.invalid')` for a document with a malformed context, naming its place. */
export function assertContexts(document: object): void {
  const errors = contextErrors(document)
  const [first] = errors
  if (first)
    throw new Refusal('context.invalid', `A JSON-LD context is malformed: ${first.path} ${first.message}.`, errors)
}
