import { excerpt, type FieldError, Refusal, Unavailable } from '../errors.ts'
import { isObject, referenceToken } from '../json.ts'

/** Places per error: enough to find the mistake in a short response. */
const MAX_PLACES = 10

/** Returns JSON pointers (RFC 6901) of the members that `matches` accepts, outside of contexts. */
function places(
  value: unknown,
  matches: (key: string, value: unknown) => boolean,
  path = '',
  into: string[] = [],
): string[] {
  if (typeof value !== 'object' || value === null) return into
  for (const [key, member] of Object.entries(value)) {
    if (into.length >= MAX_PLACES) break
    const at = `${path}/${referenceToken(key)}`
    if (matches(key, member)) into.push(at)
    if (key !== '@context') places(member, matches, at, into)
  }
  return into
}

const detail = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined

/** jsonld nests the error of its document loader in `cause` or `details.cause`, sometimes several times. */
function ownWithin(error: unknown, depth = 0): Refusal | Unavailable | undefined {
  if (error instanceof Refusal || error instanceof Unavailable) return error
  if (error === undefined || depth > 5) return undefined
  return ownWithin(detail(error, 'cause') ?? detail(detail(error, 'details'), 'cause'), depth + 1)
}

const NOT_LINKED_DATA = 'The document cannot be signed or verified as linked data'

export function notAbsolute(document: object, name: string): Refusal {
  const message = 'is not an absolute URI'
  const paths = places(document, (_, value) => value === name)
  const errors = (paths.length > 0 ? paths : ['']).map((path) => ({ path, code: 'credential.uri_relative', message }))
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: ${JSON.stringify(excerpt(name))} ${message}.`, errors)
}

interface Untyped {
  /** IRI of the term. */
  predicate: string
  /** The value as the statement has it. */
  text: string
  type: string
  expected: string
}

/** Names the members that have the value: of several the one that is called as its term is. */
export function notOfType(document: object, { predicate, text, type, expected }: Untyped): Refusal {
  const number = Number(text)
  const found = places(
    document,
    (_, value) => String(value) === text || (typeof value === 'number' && value === number),
  )
  const named = found.filter((path) => path.split('/').some((step) => step !== '' && predicate.endsWith(step)))
  const paths = named.length > 0 ? named : found
  const message = `${expected}: the context gives this member the type ${type}`
  const errors = (paths.length > 0 ? paths : ['']).map((path) => ({ path, code: 'credential.value_type', message }))
  return new Refusal('credential.value_type', `A value does not have the form of its type ${type}; see errors.`, errors)
}

/** `part`: the name of the member, or the value, that would look signed. */
export function notSigned(document: object, part: unknown, message: string): Refusal {
  const at = places(document, (key, value) => key === part || value === part)
  const errors = (at.length > 0 ? at : ['']).map((path) => ({ path, code: 'credential.unsigned', message }))
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: ${message}.`, errors)
}

/** A language of a text that is no language tag: of `@language`, or a name in a map of languages. */
function notLanguage(document: object, language: string): Refusal {
  const at = places(document, (key, value) => key === language || (key === '@language' && value === language))
  const message = 'expected a language tag (BCP 47), such as de-CH'
  const errors = (at.length > 0 ? at : ['']).map((path) => ({ path, code: 'credential.language_invalid', message }))
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: a language is not a language tag.`, errors)
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
    // another member may have the text of a type
    const types = property === undefined ? found.filter((path) => /\/@?type(\/\d+)?$/.test(path)) : []
    const paths = types.length > 0 ? types : found
    const errors = (paths.length > 0 ? paths : ['']).map(
      (path): FieldError => ({
        path,
        code: 'credential.term_undefined',
        // a type is a value, and errors of a batch never repeat a value of a row (D-083)
        message: `no context defines ${property === undefined ? 'this type' : excerpt(term)}`,
      }),
    )
    return new Refusal(
      'credential.term_undefined',
      `No JSON-LD context of the credential defines ${JSON.stringify(excerpt(term))}.`,
      errors,
    )
  }
  const language = detail(details, 'language')
  if (typeof language === 'string') return notLanguage(document, language)
  const relative = id ?? object
  if (typeof relative === 'string') return notAbsolute(document, relative)
  const message = excerpt(String(detail(event, 'message')).replace(/\.$/, ''))
  return new Refusal('credential.invalid', `${NOT_LINKED_DATA}: ${message}.`, [
    { path: '', code: 'credential.uri_relative', message },
  ])
}

/** JSON pointer of the context entry that defines the term in an error of jsonld. */
function contextOf(document: object, term: unknown): string {
  const contexts: unknown = Reflect.get(document, '@context')
  const list = Array.isArray(contexts) ? contexts : [contexts]
  const index = list.findIndex((each) => typeof term === 'string' && isObject(each) && Object.hasOwn(each, term))
  if (index < 0) return '/@context'
  return `/@context${Array.isArray(contexts) ? `/${index}` : ''}/${referenceToken(String(term))}`
}

const CONTEXT_FAULT =
  /context|term definition|keyword|protected|IRI mapping|@(vocab|base|import|prefix|propagate|version|container)/i

export const tooComplex = (): Refusal =>
  new Refusal(
    'credential.too_complex',
    'The credential needs too much work to canonicalise. Use fewer or simpler nodes, and give them ids.',
  )

/**
 * Returns the refusal for a named error of a library about `document`; undefined for any other error. An error of our
 * own document loader inside of it is returned as it is.
 */
export function refusalOf(error: unknown, document: object): Refusal | Unavailable | undefined {
  const own = ownWithin(error)
  if (own !== undefined || !(error instanceof Error)) return own
  if (
    error instanceof RangeError ||
    error.name === 'AbortError' ||
    /^(Maximum deep iterations|Abort signal received)/.test(error.message)
  )
    return tooComplex()
  if (!error.name.startsWith('jsonld.')) return undefined
  const details = detail(error, 'details')
  if (error.name === 'jsonld.ValidationError') return undefinedTerm(document, detail(details, 'event'))
  const code = String(detail(details, 'code') ?? error.name)
  const message = error.message.slice(0, 300)
  if (CONTEXT_FAULT.test(code))
    return new Refusal(
      'context.invalid',
      `The JSON-LD contexts of the credential cannot be processed together: ${code}.`,
      [{ path: contextOf(document, detail(details, 'term')), code: 'context.invalid', message }],
    )
  return new Refusal('credential.invalid', `The credential is not valid JSON-LD: ${code}.`, [
    { path: '', code: 'credential.not_json_ld', message },
  ])
}

/**
 * Returns a refusal for any error of jsonld or rdf-canonize about `document`: the document is their only input, and
 * they are not written for hostile ones (D-152). The error is the refusal's `cause`.
 */
export function asRefusal(error: unknown, document: object): Refusal | Unavailable {
  const refusal = refusalOf(error, document)
  if (refusal !== undefined) return refusal
  return new Refusal(
    'credential.unprocessable',
    `${NOT_LINKED_DATA}: a member or a context has a value that JSON-LD does not allow there.`,
    [{ path: '', code: 'credential.not_json_ld', message: 'has a value that JSON-LD does not allow there' }],
    { cause: error },
  )
}
