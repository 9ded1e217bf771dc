import test from 'ava'
import { extensions, VOCABULARY } from '../../protocol/contexts/extensions.ts'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { canonize, canonizePlain } from '../../protocol/data-integrity/canonize.ts'
import { Refusal } from '../../protocol/errors.ts'

const options = { documentLoader: createDocumentLoader() }

const TERMS = {
  '@vocab': 'https://e.example/#',
  double: { '@type': 'http://www.w3.org/2001/XMLSchema#double' },
  ids: { '@container': '@id' },
  graphs: { '@container': ['@graph', '@id'] },
  kinds: { '@container': '@type' },
  texts: { '@container': '@language' },
  node: { '@type': '@id' },
  word: { '@type': '@vocab' },
  list: { '@container': '@list', '@type': '@id' },
}

const document = (members: object, terms: object = {}) => ({
  '@context': { ...TERMS, ...terms },
  '@id': 'urn:x:a',
  name: 'a',
  ...members,
})

const outcome = (members: object, terms?: object) =>
  canonize(document(members, terms), options).catch((error: unknown) => {
    if (error instanceof Refusal) return error.code
    throw error
  })

/** Keywords that JSON-LD reads in a context, a frame or a map only (JSON-LD 1.1, section 1.7). */
const ELSEWHERE = [
  ...['@none', '@json', '@base', '@vocab', '@protected', '@version', '@container', '@prefix', '@default', '@embed'],
  ...['@explicit', '@omitDefault', '@requireAll', '@preserve', '@propagate', '@import', '@annotation'],
]

for (const keyword of ELSEWHERE)
  test(`${keyword} is no member that would look signed, neither by itself nor by an alias`, async (t) => {
    const found = [
      await outcome({ [keyword]: 'x' }),
      await outcome({ [keyword]: { degree: 'x' } }),
      await outcome({ '@nest': { [keyword]: { degree: 'x' } } }),
      await outcome({ degree: 'x' }, { degree: keyword }),
      await outcome({ degree: 'x' }, { degree: { '@id': keyword } }),
      await outcome({ '@type': ['Person', 'Degree'] }, { Degree: keyword }),
    ]
    for (const each of found) t.regex(each, /^(credential\.(invalid|term_undefined)|context\.invalid)$/)
  })

const DROPPED: Record<string, [members: object, terms: object]> = {
  'a language of a node': [{ degree: 'de' }, { degree: '@language' }],
  'a language of a node within': [{ node: { degree: 'de', x: 1 } }, { degree: '@language' }],
  'a direction of a node': [{ degree: 'ltr' }, { degree: '@direction' }],
  'a type by two names': [
    { '@type': 'Person', degree: 'PhD' },
    { degree: '@type', PhD: 'https://e.example/#Person' },
  ],
  'a type by two names within': [{ node: { '@type': ['P', 'PhD'] } }, { P: 'urn:x:p', PhD: 'urn:x:p' }],
  'a type that is the key of a map too': [{ kinds: { Book: { '@type': 'Book', x: 1 } } }, {}],
  'an inverse member without a node': [{ degree: { PhD: [] } }, { degree: '@reverse' }],
  'an inverse term without a node': [{ degree: [] }, { degree: { '@reverse': 'urn:x:degree' } }],
}

for (const [what, [members, terms]] of Object.entries(DROPPED))
  test(`${what} is refused: no statement has it (D-1173)`, async (t) => {
    t.true((await outcome(members, { degree: 'urn:x:degree' })).length > 0)
    t.is(await outcome(members, terms), 'credential.invalid')
  })

test('languages and directions of texts, different types and inverse members with nodes are signed (D-1173)', async (t) => {
  const text = { '@value': 'x', '@language': 'de', '@direction': 'ltr' }
  const members = { text, '@type': ['P', 'Q'], '@reverse': { knows: [{ '@id': 'urn:x:b' }] } }
  t.regex(await outcome(members), /^<urn:x:a>/)
})

const WITHOUT_NAME: Record<string, object> = {
  'a node map with a key that is no IRI': { ids: { '@foo': { x: 1 } } },
  'a node map with an empty key': { ids: { '': { x: 1 } } },
  'a graph map with a key that is no IRI': { graphs: { '@foo': { x: 1 } } },
  'a type map with a key that is no IRI': { kinds: { '@foo': { x: 1 } } },
  'a node without an id': { node: '' },
  'a word that is none': { word: '@foo' },
  'an item of a list without an id': { list: ['', 'https://a.example/'] },
  'a relative id': { node: { '@id': 'abc', x: 1 } },
}

for (const [what, members] of Object.entries(WITHOUT_NAME))
  test(`${what} is refused: no statement says it`, async (t) => {
    t.is(await outcome(members), 'credential.invalid')
  })

test('numbers that JSON-LD writes as whole ones are refused, others are signed as they are (D-155)', async (t) => {
  for (const value of [1e-7, 9e-7, 3e-8, -3e-9, 5e-324, 1e-10])
    t.is(await outcome({ value }), 'credential.invalid', String(value))
  const literals: [number, string][] = [
    [1.5e-7, '"1.5E-7"'],
    [0.5, '"5.0E-1"'],
    [0, '"0"'],
    [1e21, '"1.0E21"'],
    [-12, '"-12"'],
  ]
  for (const [value, literal] of literals) t.true((await outcome({ value })).includes(literal), String(value))
  t.true((await outcome({ double: 1e-7 })).includes('"1.0E-7"'), 'a double is written as one')
})

test('a text that is to be a double is a number, and the one that is signed', async (t) => {
  const others = ['3.9 of 4', 'BA', 'NaN', 'INF', '1e400', '0.12345678901234567', ' 3', '', '-0', '0x10', '3,9']
  for (const double of others) t.is(await outcome({ double }), 'credential.invalid', double)
  for (const [double, literal] of Object.entries({ '3.9': '3.9E0', '-0.5': '-5.0E-1', '1e-7': '1.0E-7', '0': '0.0E0' }))
    t.true((await outcome({ double })).includes(`"${literal}"`), double)
})

test('JSON literals are signed as they stand, with whatever names and numbers', async (t) => {
  const data = { '@type': '@json', '@value': { '@none': 1e-7, '': null, '@id': '' } }
  t.true((await outcome({ data })).includes('{\\"\\":null,\\"@id\\":\\"\\",\\"@none\\":1e-7}'))
})

const RICH = {
  '@type': ['Person', 'Student'],
  number: 7,
  fraction: 2.5,
  double: '3.9',
  flag: true,
  text: { '@value': 'x', '@language': 'en' },
  typed: { '@value': 'x', '@type': 'urn:t:x' },
  texts: { en: 'one', '@none': 'two' },
  ids: { 'urn:x:b': { title: 'b' } },
  graphs: { 'urn:x:g': { title: 'g' } },
  kinds: { Book: { title: 'k' }, '@none': { title: 'n' } },
  node: 'urn:x:c',
  word: 'Word',
  list: ['urn:x:d', 'urn:x:e'],
  set: { '@set': ['p', 'q'] },
  '@reverse': { knows: { '@id': 'urn:x:f', title: 'f' } },
  '@included': [{ '@id': 'urn:x:h', title: 'h' }],
  '@nest': { nested: 'n' },
  data: { '@type': '@json', '@value': { a: [1, null], b: 'c' } },
}

type Change = (value: unknown) => unknown
const LEAVES: Change[] = [
  () => 'other',
  () => 'urn:x:other',
  () => 99,
  () => 1e-7,
  () => false,
  () => null,
  () => '',
  () => '@none',
  () => '@foo',
  () => ({ '@none': 'other' }),
]
const NAMES = ['other', 'urn:x:other', '@none', '@foo', '@json', '', '@nest']

/** The document with one leaf or one name changed, in every place and way. */
function* changed(value: unknown): Generator<unknown> {
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) for (const other of changed(each)) yield value.with(index, other)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>
      yield rest
      for (const other of NAMES) if (!(other in value)) yield { ...rest, [other]: member }
      for (const other of changed(member)) yield { ...value, [name]: other }
    }
  else for (const change of LEAVES) if (change(value) !== value) yield change(value)
}

/** `@nest` stands for nothing: what is in it says the same beside it. */
const withoutNests = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNests)
  if (typeof value !== 'object' || value === null) return value
  const { '@nest': nest, ...rest } = value as Record<string, unknown>
  const flat = { ...rest, ...(typeof nest === 'object' && !Array.isArray(nest) ? nest : {}) }
  return Object.fromEntries(Object.entries(flat).map(([name, member]) => [name, withoutNests(member)]))
}

test('whatever is changed in a document changes what is signed, or is refused', async (t) => {
  t.timeout(300_000)
  const signed = await outcome(RICH)
  t.true(signed.startsWith('<'))
  let refused = 0
  let different = 0
  for (const other of changed(RICH)) {
    const seen = await outcome(other as object)
    if (!seen.startsWith('<')) refused++
    else if (seen !== signed) different++
    else t.deepEqual(withoutNests(other), withoutNests(RICH), JSON.stringify(other))
  }
  t.log(`${refused} refused, ${different} signed as something else`)
  t.true(refused > 100 && different > 100)
})

const branded = (terms: object, issuer: object, more: object = {}) => ({
  '@context': [CONTEXT.credentialsV2, extensions, terms],
  type: ['VerifiableCredential'],
  issuer: { id: 'did:example:issuer', ...issuer },
  credentialSubject: { id: 'did:example:a' },
  ...more,
})

test('pictures and colours stand under their own names, where they are looked at before they are signed (D-154)', async (t) => {
  const picture = { id: 'javascript:alert(1)' }
  const hidden: Record<string, object> = {
    'an IRI': branded({}, { [`${VOCABULARY}iconUrl`]: picture }),
    'an IRI beside the name': branded({}, { iconUrl: 'https://e.example/i.png', [`${VOCABULARY}iconUrl`]: picture }),
    'an alias': branded({ pic: `${VOCABULARY}logoUrl` }, { pic: picture }),
    'a prefix': branded({ c: { '@id': VOCABULARY, '@prefix': true } }, { 'c:iconUrl': picture }),
    'the branding': branded({}, {}, { [`${VOCABULARY}credentialBranding`]: { backgroundColor: 'url(x)' } }),
    'within the branding': branded(
      { hue: `${VOCABULARY}backgroundColor` },
      {},
      { credentialBranding: { hue: 'url(x)' } },
    ),
    'the subject': branded({}, {}, { credentialSubject: { [`${VOCABULARY}iconUrl`]: picture } }),
  }
  for (const [what, credential] of Object.entries(hidden))
    await t.throwsAsync(canonizePlain(credential, options), { instanceOf: Refusal }, what)
  const shown = branded({}, { iconUrl: 'https://e.example/i.png' }, { credentialBranding: { backgroundColor: '#fff' } })
  t.regex(await canonizePlain(shown, options), /iconUrl/)
})

const rtl = (text: string) => ({ '@value': text, '@direction': 'rtl' })
const DIRECTIONS: [what: string, members: object, refused: boolean][] = [
  ['a text and the same one with a direction', { name: ['x', rtl('x')] }, true],
  ['the same text in two directions', { name: [rtl('x'), { ...rtl('x'), '@direction': 'ltr' }] }, true],
  [
    'in two nodes of one id',
    {
      node: [
        { '@id': 'urn:x:b', name: 'x' },
        { '@id': 'urn:x:b', name: rtl('x') },
      ],
    },
    true,
  ],
  ['other texts', { name: ['x', rtl('y')] }, false],
  ['the same text twice', { name: [rtl('x'), rtl('x')] }, false],
  ['another language', { name: [{ ...rtl('x'), '@language': 'ar' }, rtl('x')] }, false],
  ['a list', { name: { '@list': ['x', rtl('x')] } }, false],
  ['another property', { name: 'x', title: rtl('x') }, false],
  ['another node', { name: 'x', other: { name: rtl('x') } }, false],
]

for (const [what, members, refused] of DIRECTIONS)
  test(`texts that differ in direction alone are refused, because one would not be signed: ${what} (D-130)`, async (t) => {
    const asked = canonizePlain(document(members), options)
    if (refused) await t.throwsAsync(asked, { code: 'credential.invalid' })
    else await t.notThrowsAsync(asked)
  })
