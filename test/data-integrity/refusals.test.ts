import test from 'ava'
import {
  asRefusal,
  notAbsolute,
  notOfType,
  notSigned,
  refusalOf,
  tooComplex,
} from '../../protocol/data-integrity/refusals.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'

/** A refusal as its code and its errors, each as place and code. */
const told = (refusal: unknown) => {
  if (!(refusal instanceof Refusal)) throw new Error(`no refusal but ${String(refusal)}`)
  return [refusal.code, ...refusal.errors.map(({ path, code }) => `${path} ${code}`)]
}

/** An error as jsonld makes them: with a name of its own, and with details. */
const jsonldError = (name: string, details?: unknown, message = 'what jsonld says') =>
  Object.assign(new Error(message), { name: `jsonld.${name}`, ...(details === undefined ? {} : { details }) })

/** What safe mode says of a member that it would drop. */
const dropped = (details: unknown, message = 'dropped.') =>
  jsonldError('ValidationError', { event: { details, message } })

const DOCUMENT = {
  '@context': ['https://www.w3.org/ns/credentials/v2', { own: 'urn:x' }, { '@vocab': 'urn:y', 'a/b~c': 'urn:z' }],
  type: ['VerifiableCredential', 'Unknown'],
  id: 'Unknown',
  issuer: 'relative',
  credentialSubject: [{ strange: 'x', note: 'Unknown', '@type': 'Unknown' }, { deep: { strange: 'relative' } }],
}

test('a term that no context defines is named with every place of it (D-083: never a value)', (t) => {
  const term = refusalOf(dropped({ property: 'strange' }), DOCUMENT)
  t.deepEqual(told(term), [
    'credential.term_undefined',
    '/credentialSubject/0/strange credential.term_undefined',
    '/credentialSubject/1/deep/strange credential.term_undefined',
  ])
  t.is((term as Refusal).errors[0]?.message, 'no context defines strange')
  t.true((term as Refusal).message.endsWith(' defines "strange".'))
  t.deepEqual(told(refusalOf(dropped({ property: 'nowhere' }), DOCUMENT)), [
    'credential.term_undefined',
    ' credential.term_undefined',
  ])
  t.deepEqual(told(refusalOf(dropped({ property: 'own' }), DOCUMENT)).slice(1), [' credential.term_undefined'])
})

test('a type that no context defines is named where it is a type, and repeated in no error (D-083)', (t) => {
  const type = refusalOf(dropped({ type: 'Unknown' }), DOCUMENT)
  t.deepEqual(told(type), [
    'credential.term_undefined',
    '/type/1 credential.term_undefined',
    '/credentialSubject/0/@type credential.term_undefined',
  ])
  t.is((type as Refusal).errors[0]?.message, 'no context defines this type')
  t.deepEqual(
    told(refusalOf(dropped({ type: 'x' }), DOCUMENT)).slice(1),
    ['/credentialSubject/0/strange credential.term_undefined'],
    'by an alias of type',
  )
  t.deepEqual(told(refusalOf(dropped({ type: 'x' }), { id: 'x' })).slice(1), [' credential.term_undefined'])
  const aliases = { typed: 'x', type: { deep: 'x' }, a: { type: 'x' } }
  t.deepEqual(told(refusalOf(dropped({ type: 'x' }), aliases)).slice(1), ['/a/type credential.term_undefined'])
  const both = refusalOf(dropped({ property: 'strange', type: 'Unknown' }), DOCUMENT)
  t.is(told(both)[1], '/credentialSubject/0/strange credential.term_undefined')
})

test('a language that is none has its place, as @language or as a name of a map (BCP 47)', (t) => {
  const document = {
    note: { '@value': 'x', '@language': 'not a tag' },
    names: { 'not a tag': 'y' },
    other: 'not a tag',
  }
  const language = refusalOf(dropped({ language: 'not a tag' }), document)
  t.deepEqual(told(language), [
    'credential.invalid',
    '/note/@language credential.language_invalid',
    '/names/not a tag credential.language_invalid',
  ])
  t.deepEqual(told(refusalOf(dropped({ language: 'x y' }), document)).slice(1), [' credential.language_invalid'])
  const elsewhere = { '@language': 'de' }
  t.deepEqual(told(refusalOf(dropped({ language: 'x y' }), elsewhere)).slice(1), [' credential.language_invalid'])
})

test('an identifier that is not absolute has every place of it', (t) => {
  const paths = ['/issuer credential.uri_relative', '/credentialSubject/1/deep/strange credential.uri_relative']
  t.deepEqual(told(notAbsolute(DOCUMENT, 'relative')), ['credential.invalid', ...paths])
  for (const details of [{ id: 'relative' }, { object: 'relative' }, { id: 'relative', object: 'Unknown' }])
    t.deepEqual(told(refusalOf(dropped(details), DOCUMENT)), ['credential.invalid', ...paths])
  t.deepEqual(told(notAbsolute(DOCUMENT, 'nowhere')), ['credential.invalid', ' credential.uri_relative'])
  t.is(notAbsolute({}, 'a"b').errors[0]?.message, 'is not an absolute URI')
  const long = 'x'.repeat(100_000)
  const term = refusalOf(dropped({ property: long }), { [long]: 1 }) as Refusal
  for (const { message } of [notAbsolute({ id: long }, long), term])
    t.true(message.length < 300, 'a response stays short')
})

test('whatever else would be dropped is told as jsonld says it', (t) => {
  const other = refusalOf(dropped({ other: 1 }, 'Something was dropped.'), DOCUMENT)
  t.deepEqual(told(other), ['credential.invalid', ' credential.uri_relative'])
  t.is((other as Refusal).errors[0]?.message, 'Something was dropped')
  t.is((refusalOf(dropped({}, 'a.b'), {}) as Refusal).errors[0]?.message, 'a.b')
  t.deepEqual(told(refusalOf(jsonldError('ValidationError'), {})), ['credential.invalid', ' credential.uri_relative'])
})

test('what looks signed and is not has its places, by its name or by its value', (t) => {
  const document = { a: 'x', x: [1, 'x'], '@context': { a: 'x' } }
  t.deepEqual(told(notSigned(document, 'x', 'why')), [
    'credential.invalid',
    '/a credential.unsigned',
    '/x credential.unsigned',
    '/x/1 credential.unsigned',
  ])
  t.deepEqual(told(notSigned(document, 'nowhere', 'why')), ['credential.invalid', ' credential.unsigned'])
  t.is(notSigned(document, 'x', 'why').errors[0]?.message, 'why')
})

test('places are ten at most, are JSON pointers, and none is inside of a context (RFC 6901)', (t) => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [`n${nth}`, { x: 1 }]))
  t.is(notSigned(many, 'x', 'why').errors.length, 10)
  t.deepEqual(told(notSigned({ 'a/b~c': { x: null } }, 'x', 'why')).slice(1), ['/a~1b~0c/x credential.unsigned'])
  t.deepEqual(told(notSigned({ a: null, b: 7 }, null, 'why')).slice(1), ['/a credential.unsigned'])
  t.deepEqual(told(notSigned({ '@context': 'x' }, 'x', 'why')).slice(1), ['/@context credential.unsigned'])
})

test('a value without the form of its type is named by the member that is called as its term is (D-267)', (t) => {
  const untyped = { predicate: 'https://schema.org/age', type: 'xsd:integer', expected: 'expected a whole number' }
  const of = (document: object, text: string) => told(notOfType(document, { ...untyped, text }))
  t.deepEqual(of({ age: 'x', other: 'x' }, 'x'), ['credential.value_type', '/age credential.value_type'])
  t.deepEqual(of({ age: { '@value': 'x' }, other: 'x' }, 'x').slice(1), ['/age/@value credential.value_type'])
  t.deepEqual(of({ a: 'x', b: 'x' }, 'x').slice(1), ['/a credential.value_type', '/b credential.value_type'])
  t.deepEqual(of({ age: 1.5 }, '1.5E0').slice(1), ['/age credential.value_type'], 'a number as RDF writes it')
  t.deepEqual(of({ age: true }, 'true').slice(1), ['/age credential.value_type'])
  t.deepEqual(of({ age: '1.5' }, '1.5E0').slice(1), [' credential.value_type'], 'a text is itself')
  t.deepEqual(of({}, 'x').slice(1), [' credential.value_type'])
  const [error] = notOfType({ age: 'x' }, { ...untyped, text: 'x' }).errors
  t.is(error?.message, 'expected a whole number: the context gives this member the type xsd:integer')
})

test('a fault of the contexts is named at the context that defines the term, if one in the document does', (t) => {
  const of = (details: object, document: object = DOCUMENT) =>
    told(refusalOf(jsonldError('SyntaxError', details), document))
  const code = 'invalid term definition'
  t.deepEqual(of({ code, term: 'own' }), ['context.invalid', '/@context/1/own context.invalid'])
  t.deepEqual(of({ code, term: 'a/b~c' }).slice(1), ['/@context/2/a~1b~0c context.invalid'])
  t.deepEqual(of({ code, term: 'nowhere' }).slice(1), ['/@context context.invalid'])
  t.deepEqual(of({ code, term: 'toString' }).slice(1), ['/@context context.invalid'])
  t.deepEqual(of({ code }).slice(1), ['/@context context.invalid'])
  t.deepEqual(of({ code, term: 'a' }, { '@context': { a: 'x' } }).slice(1), ['/@context/a context.invalid'])
  t.deepEqual(of({ code, term: 'a' }, { '@context': 'a' }).slice(1), ['/@context context.invalid'])
  t.deepEqual(of({ code, term: 'a' }, {}).slice(1), ['/@context context.invalid'])
  for (const name of [
    'invalid local context',
    'keyword redefinition',
    'protected term redefinition',
    'invalid IRI mapping',
    'invalid @vocab value',
    'invalid @base value',
    'invalid @import value',
    'invalid @prefix value',
    'invalid @propagate value',
    'invalid @version value',
    'invalid @container mapping',
    'INVALID CONTEXT',
  ])
    t.is(of({ code: name })[0], 'context.invalid', name)
  t.is(told(refusalOf(jsonldError('ContextUrlError'), {}))[0], 'context.invalid', 'by its name, without a code')
  t.is(told(refusalOf(jsonldError('SyntaxError', { code: 7 }), {}))[0], 'credential.invalid')
})

test('another named error is of a document that is no JSON-LD, with its message up to 300 characters', (t) => {
  const refusal = refusalOf(jsonldError('SyntaxError', { code: 'invalid value object' }, 'x'.repeat(400)), DOCUMENT)
  t.deepEqual(told(refusal), ['credential.invalid', ' credential.not_json_ld'])
  t.is((refusal as Refusal).errors[0]?.message, 'x'.repeat(300))
  t.regex((refusal as Refusal).message, /: invalid value object\.$/)
})

test('what takes too long or too much depth is too complex', (t) => {
  const named = (name: string, message: string) => Object.assign(new Error(message), { name })
  for (const error of [
    new RangeError('Maximum call stack size exceeded'),
    named('AbortError', 'x'),
    new Error('Maximum deep iterations exceeded (1).'),
    new Error('Abort signal received: "x".'),
  ])
    t.is(told(refusalOf(error, {}))[0], 'credential.too_complex', error.message)
  t.is(tooComplex().code, 'credential.too_complex')
  t.is(refusalOf(new Error('x Maximum deep iterations'), {}), undefined)
})

test('a refusal or an outage within an error of a library is the answer, however it is wrapped', (t) => {
  const own = new Refusal('context.unknown', 'x')
  const away = new Unavailable('outbound', 'x')
  for (const error of [own, away]) {
    t.is(refusalOf(error, {}), error)
    t.is(refusalOf(new Error('x', { cause: error }), {}), error)
    t.is(refusalOf(jsonldError('InvalidUrl', { cause: error }), {}), error)
    t.is(refusalOf(jsonldError('InvalidUrl', { cause: new Error('y', { cause: error }) }), {}), error)
  }
  const wrap = (times: number, inner: unknown): unknown => (times === 0 ? inner : { cause: wrap(times - 1, inner) })
  t.is(refusalOf(wrap(7, own), {}), undefined, 'so deep nobody wraps')
  t.is(refusalOf(wrap(6, own), {}), own)
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  t.is(refusalOf(circle, {}), undefined)
})

test('an error that no rule names is none of the document, until it is known to come from its processing (D-152)', (t) => {
  for (const error of [new TypeError('x'), Object.assign(new Error('x'), { name: 'xjsonld.' }), 'x', null, undefined]) {
    t.is(refusalOf(error, {}), undefined)
    const refusal = asRefusal(error, {}) as Refusal
    t.deepEqual(told(refusal), ['credential.unprocessable', ' credential.not_json_ld'])
    t.is(refusal.cause, error)
  }
  t.deepEqual(told(asRefusal(new RangeError('x'), {}))[0], 'credential.too_complex')
})
