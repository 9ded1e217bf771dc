import test from 'ava'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { createShapes } from '../../protocol/data-integrity/shapes.ts'
import { ask, credential, library, TERMS, V2 } from '../support/credentials/shapes.ts'

test('from the third document on, a shape is not asked of the library again (D-084)', async (t) => {
  const people = Array.from({ length: 50 }, (_, n) => credential({ id: `did:example:${n}`, course: `C ${n} äöü 🎓` }))
  t.is(await ask(people), 3) // the first, the second, and its marked copy
  const nameless = Array.from({ length: 50 }, (_, n) => credential({ course: `C-${n}` }))
  t.is(await ask(nameless), 3, 'one blank node has one label')
})

const row = (n: number): Json => ({
  course: `Course ${n}`,
  born: `19${50 + (n % 50)}-0${1 + (n % 9)}-11`,
  'ex:number': 10_000 + n,
  price: n % 3 === 0 ? n : n + 0.25,
  'ex:share': n / 7 + 0.5,
  member: n % 2 === 0,
  'ex:retired': n % 5 === 0,
  address: { town: `Town ${n}`, 'ex:floor': -n - 1 },
})

test('numbers, booleans, dates and nested objects are no shape of their own (D-084)', async (t) => {
  const rows = Array.from({ length: 60 }, (_, n) => row(n))
  const named = rows.map((subject, n) => credential({ id: `did:example:${n}`, ...subject }))
  t.true((await ask(named)) <= 6, 'prices are integers or not: two shapes')
  const nameless = rows.map((subject) => credential({ ...subject, price: 0.5, school: { course: 'a' } }))
  t.is(await ask(nameless), 3, 'three blank nodes, each with its own values')
})

const XSD = 'http://www.w3.org/2001/XMLSchema#'
const ids = ['urn:uuid:1', 'urn:uuid:2', 'urn:uuid:3', 'urn:uuid:4']
const dated = { 'https://www.w3.org/2018/credentials#validUntil': '2030-01-01T00:00:00Z' }

const hard: [what: string, documents: Json[]][] = [
  ['two blank nodes', ['a', 'b', 'c', 'd'].map((name) => credential({ course: name, school: { type: 'ex:School' } }))],
  [
    'texts that are escaped',
    ['a"b', 'a\\b', 'a\nb', '\u007f', 'c'].map((course) => credential({ id: 'did:e:1', course })),
  ],
  ['IRIs by a prefix', ['ex:a', 'ex:b', 'ex:c', 'ex:d'].map((school) => credential({ id: 'did:e:1', school }))],
  ['terms of a vocabulary', ['basic', 'other', 'basic', 'ex:a'].map((level) => credential({ id: 'did:e:1', level }))],
  ['IRIs and what looks like none', ['did:e:2', 'did:e:a b', 'did:e:ü', 'x'].map((id) => credential({ id }))],
  ['lists', ['a', 'b', 'c', 'd'].map((one) => credential({ id: 'did:e:1', parts: [one, 'z'] }))],
  ['JSON literals', ['a', 'b', 'c', 'd'].map((one) => credential({ id: 'did:e:1', raw: { one } }))],
  [
    'languages',
    ['en', 'de', 'fr', 'en'].map((tongue) => credential({ id: 'did:e:1', course: { '@value': 'x', tongue } })),
  ],
  ['types', ['ex:A', 'ex:B', 'ex:C', 'ex:D'].map((kind) => credential({ id: 'did:e:1', '@type': kind }))],
  ['equal texts', ['a', 'a', 'b', 'b'].map((one) => credential({ id: 'did:e:1', course: [one, 'a', one] }))],
  ['equal nodes', ['1', '2', '2', '3'].map((one) => credential({ id: `did:e:${one}`, school: { id: 'did:e:2' } }))],
  [
    'blank nodes that are alike',
    ['a', 'b', 'b', 'c'].map((course) => credential({ school: [{ course }, { course: 'b' }], address: {} })),
  ],
  [
    'blank nodes in lists',
    [1, 2, 2, 3].map((n) => credential({ id: 'did:e:1', parts: [n, { town: 'x', 'ex:n': n }, true] })),
  ],
  [
    'blank nodes in graphs',
    ['a', 'b', 'c', 'd'].map((course) =>
      credential({ course, 'ex:a': { '@graph': [{ course, town: 'x _:c14n1 .' }, { 'ex:b': { course: 'z' } }] } }),
    ),
  ],
  ['numbers as doubles', [1, 2.5, 100, 1e20].map((price) => credential({ id: 'did:e:1', price }))],
  [
    'numbers that are written in another way',
    [1e-7, 1e21, 1.5e300, 0, 123456789012345.6, 2 ** 53].map((number) =>
      credential({ id: 'did:e:1', 'ex:a': number, price: number, raw: { number } }),
    ),
  ],
  ['numbers as JSON', [1, 2.5, 3, -4.25].map((raw) => credential({ id: 'did:e:1', raw }))],
  ['booleans as JSON', [true, false, true].map((raw) => credential({ id: 'did:e:1', raw }))],
  [
    'numbers and booleans of another type',
    [true, 5, false, 2.5, 7].map((value) =>
      credential({ id: 'did:e:1', member: value, price: value, when: value, level: value, school: value }),
    ),
  ],
  ['numbers in a language map', [1, 2].map((n) => credential({ id: 'did:e:1', name: { '@value': n, tongue: 'en' } }))],
  ['equal numbers', [1, 2, 3, 2].map((n) => credential({ id: 'did:e:1', price: [n, 2, 2.5], 'ex:a': [n, '2'] }))],
  ['booleans that are equal', [true, false].map((one) => credential({ id: 'did:e:1', member: [one, true] }))],
  ['numbers as ids', [1, 2, 3].map((id) => credential({ id, course: 'a' }))],
  ['numbers', [1, 2, 1.5, 2].map((course) => credential({ id: 'did:e:1', course }))],
  ['dates', ['2027-01-01', 'soon', '', ' '].map((when) => credential({ id: 'did:e:1', when }))],
  [
    'datatypes',
    ['date', 'time', 'anyURI', 'string'].map((name) =>
      credential({
        id: 'did:e:1',
        course: { '@value': 'x', datatype: `http://www.w3.org/2001/XMLSchema#${name}` },
      }),
    ),
  ],
  [
    'a subject with the id of the credential and a deciding term',
    ids.map((id) => credential({ id: 'urn:uuid:4', ...dated }, { id })),
  ],
  [
    'a subject with the id of the credential and a deciding term, one as a keyword',
    ids.map((id) => credential({ '@id': 'urn:uuid:4', ...dated }, { id })),
  ],
  [
    'a node within a subject with the id of the credential and a deciding term',
    ids.map((id) => credential({ id: 'did:e:1', school: { id, ...dated } }, { id: 'urn:uuid:4' })),
  ],
  [
    'a subject with an id that is a key of an id map',
    ids.map((id) =>
      credential(
        { id: 'did:e:1', people: { 'urn:uuid:3': dated } },
        { id, '@context': [V2, TERMS, { people: { '@id': 'https://e.org/people', '@container': '@id' } }] },
      ),
    ),
  ],
  [
    'a credential with an id that a node within has in short',
    ['https://example.org/a', 'https://example.org/b', 'https://example.org/sub', 'https://example.org/c'].map((id) =>
      credential({ id: 'did:e:1' }, { id, '@included': [{ '@id': 'ex:sub', ...dated }] }),
    ),
  ],
  [
    'texts beside one with a direction',
    ['a', 'b', 'x', 'y'].map((name) =>
      credential({ id: 'did:e:1' }, { name: [name, { '@value': 'x', '@direction': 'rtl' }] }),
    ),
  ],
  [
    'texts that equal one with its type written out',
    ['b', 'c', 'red', 'd'].map((course) =>
      credential({ id: 'did:e:1', course: [course, { '@value': 'red', '@type': `${XSD}string` }] }),
    ),
  ],
  [
    'typed texts that equal a number',
    ['4', '6', '5', '7'].map((text) =>
      credential({ id: 'did:e:1', course: [5, { '@value': text, '@type': `${XSD}integer` }] }),
    ),
  ],
  [
    'IRIs in a vocabulary that has one of them as a term',
    ['urn:a', 'urn:b', 'urn:x:1', 'did:'].map((level) =>
      credential({ id: 'did:e:1', level }, { '@context': [V2, TERMS, { 'urn:x:1': null, 'did:': 'https://e.org/z' }] }),
    ),
  ],
  [
    'an id by an alias that makes it JSON',
    ['urn:a', 'urn:b', 'urn:c', 'urn:d'].map((id) =>
      credential({ id: 'did:e:1', idA: id, p: [] }, { '@context': [V2, TERMS, { idA: '@json', p: 'urn:p' }] }),
    ),
  ],
  ['equal ids', ids.map((id) => credential({ id: 'did:e:1', school: [{ id, course: 'a' }, 'urn:uuid:4'] }))],
  ['claims of no context', ['a', 'b', 'c', 'd'].map((shoe) => credential({ id: 'did:e:1', shoe }))],
  ['keywords', ['@id', '@type', '@foo', 'a'].map((course) => credential({ id: 'did:e:1', course }))],
  ['ids that are keywords or blank', ['_:b0', '@none', '@foo', '_:b1'].map((id) => credential({ id, course: 'a' }))],
]

for (const [what, documents] of hard)
  test(`the answer is the library's, whatever the shape: ${what} (D-084)`, async (t) => {
    await t.notThrowsAsync(ask([...documents, ...documents, ...documents.toReversed()]))
  })

test('what one tenant has learnt is no other’s', async (t) => {
  const { asked, full } = library()
  const canonizeLike = createShapes()
  for (const scope of ['one', 'other'])
    for (let n = 0; n < 5; n++) await canonizeLike(scope, credential({ id: `did:e:${n}` }), full)
  t.is(asked.times, 6)
})

test('a foreign context that has a value as a term gives no template (D-084)', async (t) => {
  const { asked, full } = library()
  const canonizeLike = createShapes()
  const contexts = async () => [{ '@context': { nested: { '@id': 'urn:n', '@context': { 'urn:x:1': null } } } }]
  for (let n = 0; n < 6; n++) await canonizeLike('tenant', credential({ id: `did:e:${n}` }), full, contexts)
  t.is(asked.times, 6)
})

test('a long canonical form gets no template: filling it in would hold the event loop', async (t) => {
  const long = (n: number) => ({
    ...credential({ id: `did:e:${n}`, long: Array.from({ length: 3_000 }, (_, i) => i) }),
    '@context': [V2, TERMS, { long: `https://e.org/${'p'.repeat(20_000)}` }],
  })
  const canonizeLike = createShapes()
  let asked = 0
  const line = `<did:e:1> <https://e.org/${'p'.repeat(20_000)}> "1" .\n`
  const full = async () => {
    asked += 1
    return line.repeat(3_000)
  }
  const before = process.threadCpuUsage()
  for (let n = 0; n < 5; n++) await canonizeLike('tenant', long(n), full)
  const { user, system } = process.threadCpuUsage(before)
  t.is(asked, 5)
  t.true(user + system < 2_000_000, 'microseconds of the event loop')
})

test('a marked copy that fails takes nothing from the document that is asked for', async (t) => {
  const { full } = library()
  const canonizeLike = createShapes()
  const busy = async (document: Json) => {
    if (JSON.stringify(document).includes('x0q')) throw new Error('no thread')
    return full(document)
  }
  for (let n = 0; n < 4; n++) {
    const document = credential({ id: `did:e:${n}` })
    t.is(await canonizeLike('tenant', document, busy), await full(document))
  }
})

test('many shapes of one tenant displace no other tenant’s (D-084)', async (t) => {
  const { asked, full } = library()
  const canonizeLike = createShapes()
  for (let n = 0; n < 3; n++) await canonizeLike('one', credential({ id: `did:e:${n}` }), full)
  for (let n = 0; n < 150; n++)
    for (const id of ['did:e:1', 'did:e:2']) await canonizeLike('other', credential({ id, [`ex:n${n}`]: n }), full)
  const before = asked.times
  await canonizeLike('one', credential({ id: 'did:e:9' }), full)
  t.is(asked.times, before)
})
