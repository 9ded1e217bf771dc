import test from 'ava'
import { VOCABULARY } from '../../protocol/contexts/extensions.ts'
import { assertPlain, assertTextsSigned } from '../../protocol/data-integrity/plain.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'

const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const SIZE = 'https://www.w3.org/ns/credentials/status#statusSize'

/** The faults of a document whose statements are these, as place and code. */
function faults(document: Json, ...expanded: object[]): string[] {
  try {
    assertPlain(document, expanded)
    return []
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'credential.invalid') throw error
    return error.errors.map(({ path, code }) => `${path} ${code.replace('credential.', '')}`)
  }
}

const ELSEWHERE = ' elsewhere'

/** What decides about a credential (D-130). */
const DECIDING = [
  'issuer',
  'holder',
  'credentialSubject',
  'credentialStatus',
  'credentialSchema',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'termsOfUse',
  'evidence',
  'refreshService',
  'relatedResource',
]

for (const member of DECIDING)
  test(`${member} is what is signed as it, no more and no less (D-130)`, (t) => {
    const iri = CREDENTIALS + member
    const fault = [`/${member}${ELSEWHERE}`]
    const node = { [iri]: [{ '@id': 'urn:x:1' }] }
    t.deepEqual(faults({ [member]: { id: 'urn:x:1' } }, node), [])
    t.deepEqual(faults({ [member]: { '@id': 'urn:x:1' } }, node), [])
    t.deepEqual(faults({ [member]: 'urn:x:1' }, node), [])
    t.deepEqual(faults({ [member]: ['urn:x:1'] }, node), [])
    t.deepEqual(faults({}, node), fault, 'signed under another name')
    t.deepEqual(faults({ [member]: 'urn:x:1' }, {}), fault, 'not signed')
    t.deepEqual(faults({ [member]: 'urn:x:2' }, node), fault)
    t.deepEqual(faults({ [member]: ['urn:x:1', 'urn:x:2'] }, node), fault)
    t.deepEqual(faults({ [member]: null }, {}), [], 'null says nothing')
    t.deepEqual(faults({ [member]: null }, { [iri]: null }), [])
    const two = { [iri]: [{ '@value': 'a' }, { '@value': 'b' }] }
    t.deepEqual(faults({ [member]: ['a', 'b'] }, two), [])
    t.deepEqual(faults({ [member]: [{ '@value': 'a' }, null, 'b'] }, two), [])
    t.deepEqual(faults({ [member]: ['a', 'c'] }, two), fault)
    t.deepEqual(faults({ [member]: ['a'] }, two), fault)
    t.deepEqual(faults({ [member]: {} }, { [iri]: [{}] }), [], 'a node without an id')
    t.deepEqual(faults({ [member]: {} }, node), fault)
  })

test('a document is one node (D-130)', (t) => {
  t.deepEqual(faults({}, {}), [])
  t.deepEqual(faults({}), [ELSEWHERE])
  t.deepEqual(faults({}, {}, {}), [ELSEWHERE])
  t.deepEqual(faults({}, []), [ELSEWHERE])
})

test('each type has one name (D-130)', (t) => {
  t.deepEqual(faults({ type: 'A' }, { '@type': ['urn:A'] }), [])
  t.deepEqual(faults({ type: ['A', 'A', 'B'] }, { '@type': ['urn:A', 'urn:B'] }), [])
  t.deepEqual(faults({ type: ['A', 'B'] }, { '@type': ['urn:A', 'urn:A'] }), [`/type${ELSEWHERE}`])
  t.deepEqual(faults({ type: ['A'] }, { '@type': ['urn:A', 'urn:B'] }), [`/type${ELSEWHERE}`])
  t.deepEqual(faults({}, { '@type': ['urn:A'] }), [`/type${ELSEWHERE}`])
})

test('nothing else says of the credential what decides about it: no inverse, no second node of its id (D-130)', (t) => {
  const iri = `${CREDENTIALS}credentialStatus`
  const inside = (more: object, root: object = { '@id': 'urn:root' }) => faults({}, { 'urn:p': [more], ...root })
  t.deepEqual(inside({ '@reverse': { [iri]: [{}] } }), [ELSEWHERE])
  t.deepEqual(inside({ '@reverse': { 'urn:q': [{}] } }), [], 'other statements may be inverse')
  t.deepEqual(inside({ '@reverse': [] }), [])
  t.deepEqual(inside({ '@id': 'urn:root', [iri]: [] }), [ELSEWHERE])
  t.deepEqual(inside({ '@id': 'urn:root', 'urn:q': [] }), [], 'an own node may be named')
  t.deepEqual(inside({ '@id': 'urn:other', [iri]: [] }), [], 'another node has its own')
  t.deepEqual(inside({ [iri]: [] }, {}), [], 'nodes without ids are two')
  t.deepEqual(faults({ credentialStatus: [] }, { '@id': 'urn:root', [iri]: [] }), [], 'the root itself')
  const deep = { 'urn:q': [{ '@list': [{ '@id': 'urn:root', [iri]: [] }] }] }
  t.deepEqual(inside(deep), [ELSEWHERE], 'however deep')
})

test('what is in a graph of its own is said of others, and JSON literals say nothing (D-130)', (t) => {
  const iri = `${CREDENTIALS}issuer`
  const inside = (more: object) => faults({}, { '@id': 'urn:root', 'urn:p': [more] })
  const node = { '@id': 'urn:root', [iri]: [] }
  t.deepEqual(inside(node), [ELSEWHERE])
  t.deepEqual(inside({ '@graph': [node] }), [])
  t.deepEqual(inside({ '@graph': [{ 'urn:q': [node] }] }), [], 'nor what is below it')
  t.deepEqual(inside({ '@value': { 'urn:q': [node] }, '@type': '@json' }), [])
})

test('keys of index maps look signed and are not, wherever they are (D-130)', (t) => {
  const unsigned = [' unsigned']
  t.deepEqual(faults({}, { 'urn:p': [{ '@index': 'a' }] }), unsigned)
  t.deepEqual(faults({}, { 'urn:p': [{ '@value': 'x', '@index': 'a' }] }), unsigned)
  t.deepEqual(faults({}, { 'urn:p': [{ '@graph': [{ '@index': 'a' }] }] }), unsigned)
  t.deepEqual(faults({}, { 'urn:p': [{ '@index': 'a' }, { '@index': 'b' }] }), [...unsigned, ...unsigned])
  t.deepEqual(faults({}, { 'urn:p': [{ '@value': { '@index': 'a' }, '@type': '@json' }] }), [], 'a JSON literal')
})

test('the size of a status is a member of its own: another name for it would hide it (D-130)', (t) => {
  const iri = `${CREDENTIALS}credentialStatus`
  const of = (status: Json, stated: Json) => faults({ credentialStatus: status }, { [iri]: [stated] })
  const fault = [`/credentialStatus${ELSEWHERE}`]
  t.deepEqual(of({ statusSize: 2 }, { [SIZE]: [{ '@value': 2 }] }), [])
  t.deepEqual(of({ size: 2 }, { [SIZE]: [{ '@value': 2 }] }), fault)
  t.deepEqual(of({ statusSize: 2 }, {}), fault)
  t.deepEqual(of({ statusSize: null }, {}), [])
  t.deepEqual(of({ statusSize: [2, 4] }, { [SIZE]: [{ '@value': 2 }] }), fault)
  const graph = { [iri]: [{}], 'urn:p': [{ '@graph': [{ [SIZE]: [{ '@value': 2 }] }] }] }
  t.deepEqual(faults({ credentialStatus: {} }, graph), [], 'a size in a graph is of another credential')
  const two = [{ statusSize: 1 }, { statusSize: 1 }, 'x']
  const stated = [{ [SIZE]: [{ '@value': 1 }] }, { [SIZE]: [{ '@value': 1 }] }, { '@id': 'x' }]
  t.deepEqual(faults({ credentialStatus: two }, { [iri]: stated }), [])
})

for (const [name, place] of [
  ['credentialBranding', (value: unknown) => ({ credentialBranding: value })],
  ['iconUrl', (value: unknown) => ({ issuer: { iconUrl: value } })],
  ['logoUrl', (value: unknown) => ({ issuer: { logoUrl: value } })],
  ['backgroundColor', (value: unknown) => ({ credentialBranding: { backgroundColor: value } })],
  ['watermarkImageUrl', (value: unknown) => ({ credentialBranding: { watermarkImageUrl: value } })],
] as [string, (value: unknown) => Json][])
  test(`${name} is under its own name, where it is checked before it is signed (D-154)`, (t) => {
    const issuer = { [`${CREDENTIALS}issuer`]: [{}] }
    const of = (document: Json, ...stated: unknown[]) =>
      faults(document, { ...('issuer' in document ? issuer : {}), [VOCABULARY + name]: stated })
    t.deepEqual(of(place('x'), { '@value': 'x' }), [])
    t.deepEqual(of({}, { '@value': 'x' }), [ELSEWHERE])
    t.deepEqual(of(place('x'), { '@value': 'x' }, { '@value': 'y' }), [ELSEWHERE])
    t.deepEqual(of(place(null), { '@value': 'x' }), [ELSEWHERE])
    t.deepEqual(of({ other: { [name]: 'x' } }, { '@value': 'x' }), [ELSEWHERE], 'in another place')
    t.deepEqual(faults({}, { 'urn:p': [{ '@graph': [{ [VOCABULARY + name]: ['x'] }] }] }), [], 'of another credential')
  })

test('a document of many faults tells ten of them, and the first in words', (t) => {
  const all = Object.fromEntries(DECIDING.map((member) => [CREDENTIALS + member, [{}]]))
  t.is(faults({}, all).length, 10)
  const error = t.throws(() => assertPlain({}, [all]), { instanceOf: Refusal })
  t.regex(error?.message ?? '', /: \/issuer must have all of its signed values here/)
  const nowhere = t.throws(() => assertPlain({}, []), { instanceOf: Refusal })
  t.regex(nowhere?.message ?? '', /: the credential must be exactly one node\.$/)
})

test('texts with what looks like a label of a blank node are not signed by bbs-2023 (D-131)', (t) => {
  const refused = (...expanded: object[]): boolean => {
    try {
      assertTextsSigned(expanded)
      return false
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      t.is(error.code, 'credential.invalid')
      t.deepEqual(
        error.errors.map(({ path, code }) => [path, code]),
        [['', 'credential.unsigned']],
      )
      return true
    }
  }
  for (const text of ['_:a', 'a _:b', 'urn:bnid:', 'x urn:bnid:c']) {
    t.true(refused({ 'urn:p': [{ '@value': text }] }), text)
    t.true(refused({ 'urn:p': [{ '@value': 'x', '@type': text.replace('_:a', '_:a b') }] }), text)
    t.true(refused({ [text]: [] }), `${text} as a name`)
    t.true(refused({ 'urn:p': [{ '@list': [{ '@value': 'x' }, { '@value': text }] }] }), `${text} in a list`)
  }
  for (const text of ['x', '_', ':', '_: a', '_:', 'urn:bnid'])
    t.false(refused({ 'urn:p': [{ '@value': text }] }), text)
  t.false(refused({ '@id': '_:b0', '@type': ['_:b1', 'urn:A'] }), 'labels as ids')
  for (const id of ['_:b 0', 'x_:b', '_:b!', 'urn:bnid:_:b']) t.true(refused({ '@id': id }), id)
  t.false(refused({ 'urn:p': [{ '@value': 7 }, { '@value': true }, null as unknown as object] }))
})
