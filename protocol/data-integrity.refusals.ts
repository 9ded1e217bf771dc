import { type FieldError, Refusal } from './errors.ts'

/** Enough places to find the mistake, not enough to make the answer a burden. */
const MAX_PLACES = 10

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** JSON pointers (RFC 6901) of the members that `found` accepts, outside of contexts. */
function places(
  value: unknown,
  found: (key: string, value: unknown) => boolean,
  path = '',
  into: string[] = [],
): string[] {
  if (typeof value !== 'object' || value === null) return into
  for (const [key, member] of Object.entries(value)) {
    if (into.length >= MAX_PLACES) break
    const at = `${path}/${escaped(key)}`
    if (found(key, member)) into.push(at)
    if (key !== '@context') places(member, found, at, into)
  }
  return into
}

const detail = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined

/** jsonld hides what its document loader threw in `cause` or `details.cause`, sometimes several times over. */
function refusalWithin(error: unknown, depth = 0): Refusal | undefined {
  if (error instanceof Refusal || error === undefined || depth > 5) return error as Refusal | undefined
  return refusalWithin(detail(error, 'cause') ?? detail(detail(error, 'details'), 'cause'), depth + 1)
}

const NOT_LINKED_DATA = 'The credential cannot be signed or verified as linked data'

export function notAbsolute(document: object, name: string): Refusal {
  const message = 'is not an absolute URI'
  const found = places(document, (_, value) => value === name)
  const errors = (found.length > 0 ? found : ['']).map((path) => ({ path, code: 'credential.uri_relative', message }))
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: ${JSON.stringify(name)} ${message}.`, errors)
}

function undefinedTerm(document: object, event: unknown): Refusal {
  const details = detail(event, 'details')
  const [property, type] = [detail(details, 'property'), detail(details, 'type')]
  const [id, object] = [detail(details, 'id'), detail(details, 'object')]
  if (typeof property === 'string' || typeof type === 'string') {
    const term = String(property ?? type)
    const found = places(document, (key, value) =>
      property === undefined ? value === term && key !== 'id' : key === term,
    )
    const errors = (found.length > 0 ? found : ['']).map(
      (path): FieldError => ({
        path,
        code: 'credential.term_undefined',
        // a type is a value, and no value of a row is repeated in the errors of a batch (D-083)
        message: `no context defines ${property === undefined ? 'this type' : term}`,
      }),
    )
    return new Refusal(
      'credential.term_undefined',
      `No JSON-LD context of the credential defines ${JSON.stringify(term)}.`,
      errors,
    )
  }
  const relative = id ?? object
  if (typeof relative === 'string') return notAbsolute(document, relative)
  const message = String(detail(event, 'message')).replace(/\.$/, '')
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: ${message}.`, [
    { path: '', code: 'credential.uri_relative', message },
  ])
}

const CONTEXT_FAULT =
  /context|term definition|keyword|protected|IRI mapping|@(vocab|base|import|prefix|propagate|version|container)/i

export const tooComplex = (): Refusal =>
  new Refusal(
    'credential.too_complex',
    'The credential takes too much work to canonicalise. Use fewer or simpler nodes.',
  )

/** Turns what jsonld or rdf-canonize threw over `document` into a refusal; errors of our own making stay what they are. */
export function asRefusal(error: unknown, document: object): unknown {
  const refusal = refusalWithin(error)
  if (refusal !== undefined) return refusal
  if (!(error instanceof Error)) return error
  if (
    error instanceof RangeError ||
    error.name === 'AbortError' ||
    /^(Maximum deep iterations|Abort signal received)/.test(error.message)
  )
    return tooComplex()
  if (!error.name.startsWith('jsonld.')) return error
  const details = detail(error, 'details')
  if (error.name === 'jsonld.ValidationError') return undefinedTerm(document, detail(details, 'event'))
  const code = String(detail(details, 'code') ?? error.name)
  if (CONTEXT_FAULT.test(code)) {
    return new Refusal('context.invalid', `The JSON-LD contexts of the credential do not work together: ${code}.`, [
      { path: '/@context', code: 'context.invalid', message: error.message.slice(0, 300) },
    ])
  }
  return new Refusal('credential.invalid', `The credential is not JSON-LD: ${code}.`, [
    { path: '', code: 'credential.not_json_ld', message: error.message.slice(0, 300) },
  ])
}
