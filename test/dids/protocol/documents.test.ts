import test from 'ava'
import {
  type DidDocument,
  dereference,
  isDid,
  parseDid,
  parseDidUrl,
  publicKeyOf,
  type VerificationMethod,
  validateDidDocument,
} from '../../../protocol/dids/index.ts'
import { usableMethod } from '../../../protocol/dids/usable.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jsonDepth, parseForeignJson } from '../../../protocol/json.depth.ts'

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('a DID URL falls into its parts (DID Core 1.0, 3.2)', (t) => {
  t.deepEqual(parseDidUrl('did:example:123:4%5A/path/a?service=files&relativeRef=%2Fx#key-1'), {
    did: 'did:example:123:4%5A',
    method: 'example',
    identifier: '123:4%5A',
    path: '/path/a',
    query: '?service=files&relativeRef=%2Fx',
    fragment: 'key-1',
  })
  t.like(parseDidUrl('did:example:a#'), { path: '', query: '', fragment: '' })
  t.like(parseDidUrl('did:example:a?'), { path: '', query: '?', fragment: undefined })
  t.like(parseDidUrl('did:example::a'), { identifier: ':a' })
})

const notDids = [
  ['', 'did', 'did:', 'did::', 'did:a', 'did:a:', 'did:a::', 'did:A:b', 'DID:a:b', 'did:a-b:c', 'did:example_333'],
  [' did:a:b', 'did:a:b ', 'did:a:b\n', 'did:a:b\u0000', 'did:a:b\tc', 'did:a:%', 'did:a:%4', 'did:a:%4g', 'did:a:ü'],
  [
    'did:a:b/ ',
    'did:a:b/<',
    'did:a:b?"',
    'did:a:b#{',
    'did:a:b#a#b',
    'did:a:b/%zz',
    'did:a:b\\c',
    'did:a:b@c',
    'http://a',
  ],
  [`did:${'a'.repeat(65)}:b`, `did:a:${'b'.repeat(5000)}`, `did:a:b#${'c'.repeat(5000)}`],
].flat()
test(`${notDids.length} texts that are no DID URL are refused (DID Core 1.0, 3.1 and 3.2)`, (t) => {
  for (const text of notDids)
    t.is(
      codeOf(() => parseDidUrl(text)),
      'did.invalid',
      JSON.stringify(text.slice(0, 40)),
    )
})

test('a plain DID has no path, query or fragment', (t) => {
  t.is(parseDid('did:example:a').did, 'did:example:a')
  for (const text of ['did:example:a#k', 'did:example:a/p', 'did:example:a?q']) {
    t.is(
      codeOf(() => parseDid(text)),
      'did.invalid',
    )
    t.false(isDid(text))
  }
  t.false(isDid(undefined))
  t.false(isDid({ toString: () => 'did:example:a' }))
})

const DID = 'did:web:issuer.example'
const KEY = 'z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const method = (id: string, more: Partial<VerificationMethod> = {}): VerificationMethod => ({
  id,
  type: 'Multikey',
  controller: DID,
  publicKeyMultibase: KEY,
  ...more,
})

test('relative ids stand for the document, embedded methods count for their relationship alone (DID Core 1.0, 5.3)', (t) => {
  const document: DidDocument = {
    id: DID,
    verificationMethod: [method('#a'), method(`${DID}#b`)],
    assertionMethod: [`${DID}#a`, '#b', method('#c')],
  }
  for (const fragment of ['a', 'b', 'c']) {
    const found = dereference(document, `${DID}#${fragment}`, 'assertionMethod')
    t.like(found, { authorized: true, method: { id: `${DID}#${fragment}` } })
    t.false(dereference(document, `${DID}#${fragment}`, 'authentication').authorized)
  }
})

test('a method that another DID controls is found but not authorised', (t) => {
  const document: DidDocument = {
    id: DID,
    verificationMethod: [method('#a', { controller: 'did:web:other.example' })],
    assertionMethod: ['#a'],
  }
  t.false(dereference(document, `${DID}#a`, 'assertionMethod').authorized)
})

test('a method is used for what its document allows, until the time of its end (Controlled Identifiers 1.0, 2.2)', (t) => {
  const now = new Date('2027-01-01T00:00:00Z')
  const faultOf = (more: object, purpose: 'assertionMethod' | 'authentication' = 'assertionMethod') => {
    const document: DidDocument = { id: DID, verificationMethod: [method('#a', more)], assertionMethod: ['#a'] }
    return usableMethod(document, `${DID}#a`, purpose, { now, toleranceMs: 1_000 }).fault?.code
  }
  t.is(faultOf({}), undefined)
  t.is(faultOf({}, 'authentication'), 'key_not_allowed')
  t.is(faultOf({ controller: 'did:web:other.example' }), 'key_not_allowed')
  for (const member of ['revoked', 'expires']) {
    t.is(faultOf({ [member]: '2026-12-31T23:59:59Z' }), 'key_ended')
    t.is(faultOf({ [member]: '2026-12-31T23:59:59.001Z' }), undefined, 'within the tolerance')
    t.is(faultOf({ [member]: 'soon' }), 'key_ended')
  }
})

test('what a document does not hold is not found: another fragment, another DID, a prefix', (t) => {
  const document: DidDocument = { id: DID, verificationMethod: [method('#abc')], assertionMethod: ['#abc', '#ghost'] }
  for (const didUrl of [`${DID}#ab`, `${DID}#abcd`, `${DID}#ghost`, DID, `${DID}.evil.example#abc`, `${DID}?v=1#abc`]) {
    t.is(
      codeOf(() => dereference(document, didUrl, 'assertionMethod')),
      'did.method_not_found',
      didUrl,
    )
  }
})

const badDocuments: [why: string, document: unknown][] = [
  ['null', null],
  ['an array', [{ id: DID }]],
  ['a string', DID],
  ['no id', {}],
  ['another id', { id: `${DID}:a` }],
  ['an id in another case', { id: DID.toUpperCase() }],
  ['methods that are no array', { id: DID, verificationMethod: method('#a') }],
  ['a method that is a text', { id: DID, verificationMethod: ['#a'] }],
  ['a method without id', { id: DID, verificationMethod: [{ ...method('#a'), id: undefined }] }],
  ['a method without type', { id: DID, verificationMethod: [{ ...method('#a'), type: 7 }] }],
  ['a method without controller', { id: DID, verificationMethod: [{ ...method('#a'), controller: undefined }] }],
  ['a controller that is no DID', { id: DID, verificationMethod: [method('#a', { controller: 'issuer' })] }],
  ['two methods of one id', { id: DID, verificationMethod: [method('#a'), method(`${DID}#a`)] }],
  ['one id listed and embedded', { id: DID, verificationMethod: [method('#a')], assertionMethod: [method('#a')] }],
  ['a relationship with a number', { id: DID, assertionMethod: [7] }],
  ['a relationship with null', { id: DID, assertionMethod: [null] }],
  ['10,000 relationships', { id: DID, assertionMethod: Array(10_000).fill('#a') }],
  ['201 methods', { id: DID, verificationMethod: Array.from({ length: 201 }, (_, at) => method(`#${at}`)) }],
  ['an id of 3,000 characters', { id: DID, verificationMethod: [method(`#${'a'.repeat(3000)}`)] }],
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map((member): [string, unknown] => [
    `a private JWK (${member})`,
    { id: DID, verificationMethod: [method('#a', { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', [member]: 'AAAA' } })] },
  ]),
  ...['privateKeyMultibase', 'privateKeyBase58', 'privateKeyJwk', 'secretKeyMultibase', 'secretKeyJwk'].map(
    (member): [string, unknown] => [
      `a private key (${member})`,
      { id: DID, publicKey: [method('#a', { [member]: 'z3u2' })] },
    ],
  ),
  ['an embedded private JWK', { id: DID, keyAgreement: [method('#a', { publicKeyJwk: { kty: 'EC', d: 'AAAA' } })] }],
  ['a service without id', { id: DID, service: [{ type: 'LinkedDomains' }] }],
]
for (const [why, document] of badDocuments) {
  test(`a DID document with ${why} is refused`, (t) => {
    t.is(
      codeOf(() => validateDidDocument(DID, document)),
      'did.invalid_document',
    )
  })
}

const jwk = { kty: 'OKP', crv: 'Ed25519', x: 'lJZrfAjkBXdfjebMHEUI9usidAPhAlssitLXR3OYxbI' }
const badMethods: [why: string, more: Partial<VerificationMethod>, code: string][] = [
  ['an unknown type', { type: 'PgpVerificationKey2021' }, 'did.key_unsupported'],
  ['the type "constructor"', { type: 'constructor' }, 'did.key_unsupported'],
  ['no key', { publicKeyMultibase: undefined }, 'did.key_unsupported'],
  ['two representations', { publicKeyJwk: jwk }, 'did.invalid'],
  ['a key that is not its type', { type: 'X25519KeyAgreementKey2020' }, 'did.invalid'],
  ['base58 where the type says nothing', { publicKeyMultibase: undefined, publicKeyBase58: 'B12N' }, 'did.invalid'],
  ['a private JWK', { publicKeyMultibase: undefined, publicKeyJwk: { ...jwk, d: 'AAAA' } }, 'did.invalid'],
  ['a JWK with primes', { publicKeyMultibase: undefined, publicKeyJwk: { ...jwk, dp: 'AAAA' } }, 'did.invalid'],
  ['a symmetric JWK', { publicKeyMultibase: undefined, publicKeyJwk: { kty: 'oct', k: 'AAAA' } }, 'did.invalid'],
  ['a JWK with padding', { publicKeyMultibase: undefined, publicKeyJwk: { ...jwk, x: `${jwk.x}=` } }, 'did.invalid'],
  [
    'an unknown curve',
    { publicKeyMultibase: undefined, publicKeyJwk: { ...jwk, crv: 'Ed448' } },
    'did.key_unsupported',
  ],
  [
    'a point off P-256',
    { publicKeyMultibase: undefined, publicKeyJwk: { kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.x } },
    'did.invalid',
  ],
]
for (const [why, more, code] of badMethods) {
  test(`a verification method with ${why} gives no key`, (t) => {
    t.is(
      codeOf(() => publicKeyOf(method('#a', more))),
      code,
    )
  })
}

test('JSON of strangers: depth is counted before anything recurses, brackets in strings do not count', (t) => {
  t.is(jsonDepth('{"a":["[[[[\\"[[",{"b":[]}]}'), 4)
  const parse = (text: string) => codeOf(() => parseForeignJson(Buffer.from(text), { code: 'x.bad' }))
  t.is(parse(`${'['.repeat(64)}${']'.repeat(64)}`), 'fine')
  t.is(parse(`${'['.repeat(65)}${']'.repeat(65)}`), 'x.bad')
  t.is(parse('['.repeat(100_000)), 'x.bad')
  t.is(parse('{"a":'), 'x.bad')
  t.is(
    codeOf(() => parseForeignJson(Uint8Array.of(0x22, 0xff, 0x22), { code: 'x.bad' })),
    'x.bad',
  )
})
