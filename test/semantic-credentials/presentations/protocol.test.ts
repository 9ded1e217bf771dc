import test from 'ava'
import fc from 'fast-check'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { mismatch } from '../../../protocol/semantic-credentials/presentations/matching.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import { checkRequest } from '../../../protocol/semantic-credentials/presentations/requests.ts'

const paths = (query: unknown) => readQuery(query).errors.map(({ path }) => path)

test('the array form is checked member by member', (t) => {
  const example = { type: ['A', 'B'], '@context': 'https://example.org/c' }
  t.deepEqual(paths([{ type: 'QueryByExample', credentialQuery: { reason: 'why', example } }]), [])
  t.deepEqual(paths([{ type: 'DIDAuth' }]), [])
  t.deepEqual(paths([{ type: 'DIDAuth', credentialQuery: [] }]), ['query.0.credentialQuery'])
  t.deepEqual(paths([{ type: 'QueryByExample' }]), ['query.0.credentialQuery'])
  t.deepEqual(paths([{ type: 'QueryByExample', credentialQuery: [{ frame: { type: 'A' } }] }]), [
    'query.0.credentialQuery.0.frame',
    'query.0.credentialQuery.0.example',
  ])
  const at = 'query.0.credentialQuery'
  t.deepEqual(
    paths([
      {
        type: 'QueryByExample',
        credentialQuery: [
          { required: 'yes', reason: 7, example: { type: 7 } },
          { example: { '@context': [], trustedIssuer: [{ issuer: 'nobody', why: 1 }, 'x'] } },
          7,
        ],
      },
    ]),
    [
      `${at}.0.required`,
      `${at}.0.reason`,
      `${at}.0.example.type`,
      `${at}.1.example.@context`,
      `${at}.1.example.trustedIssuer.0.why`,
      `${at}.1.example.trustedIssuer.0.issuer`,
      `${at}.1.example.trustedIssuer.1`,
      `${at}.2`,
    ],
  )
})

test('the object form takes queries by type, and examples in texts by any name (specification, Presentation template)', (t) => {
  t.deepEqual(paths({ property1: { property1: 'string', property2: 'string' } }), [])
  t.deepEqual(paths({ QueryByExample: { credentialQuery: [{ example: { type: 'A' } }] }, DIDAuth: {} }), [])
  t.deepEqual(paths({ mine: { type: 'QueryByFrame', credentialQuery: [{ frame: { type: 'A' } }] } }), [])
  t.deepEqual(paths({ a: {}, b: 'x', c: { grade: 7 }, d: { trustedIssuer: 'nobody' } }), [
    'query.a',
    'query.b',
    'query.c.grade',
    'query.d.trustedIssuer',
  ])
  t.deepEqual(paths({ QueryByFrame: { type: 'A' } }), ['query.QueryByFrame.credentialQuery'])
  t.deepEqual(paths({ DIDAuth: { type: 'QueryByExample' } }), ['query.DIDAuth.type'])
})

test('no query, too many, too deep, too long: refused at once', (t) => {
  for (const none of [undefined, null, 'x', 7, [], {}]) t.deepEqual(paths(none), ['query'])
  t.deepEqual(paths(Array.from({ length: 11 }, () => ({ type: 'DIDAuth' }))), ['query'])
  const many = Array.from({ length: 21 }, () => ({ example: { type: 'A' } }))
  t.deepEqual(paths([{ type: 'QueryByExample', credentialQuery: many }]), ['query.0.credentialQuery'])
  let deep: unknown = 'end'
  for (let level = 0; level < 100; level++) deep = { deep }
  t.is(paths([deep]).length, 1)
  t.deepEqual(paths([{ type: 'DIDAuth', more: 'x'.repeat(20_000) }]), ['query'])
})

test('reading a query never throws, and what has no errors has queries', (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (query) => {
      const { queries, errors } = readQuery(query)
      return errors.length > 0 || queries.length > 0
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

const issuersOf = (entry: Json) => {
  const { queries, errors } = readQuery([{ type: 'QueryByExample', credentialQuery: [entry] }])
  return errors.length > 0 ? errors.map(({ path }) => path) : queries[0]?.credentialQuery[0]?.trustedIssuers
}

test('an empty list of trusted issuers trusts nobody; a list of wishes alone trusts anybody (D-169)', (t) => {
  const [one, other] = [{ issuer: 'did:example:one' }, { issuer: 'did:example:other', required: true }]
  const wish = { issuer: 'did:example:wish', required: false }
  const type = 'A'
  t.is(issuersOf({ example: { type } }), undefined)
  t.deepEqual(issuersOf({ example: { type, trustedIssuer: [] } }), [])
  t.deepEqual(issuersOf({ example: { type }, trustedIssuer: [] }), [])
  t.deepEqual(issuersOf({ example: { type, trustedIssuer: [one, wish] }, trustedIssuer: [other] }), [
    'did:example:other',
    'did:example:one',
  ])
  t.deepEqual(issuersOf({ example: { type, trustedIssuer: [one] }, trustedIssuer: [] }), [])
  t.is(issuersOf({ example: { type, trustedIssuer: [wish] } }), undefined)
  t.deepEqual(issuersOf({ example: { type, trustedIssuer: [wish] }, trustedIssuer: [] }), [])
})

test('an empty list in an example or a frame asks for nothing: refused with its place, and answered by nothing (D-169)', (t) => {
  const at = 'query.0.credentialQuery.0'
  t.deepEqual(issuersOf({ example: { credentialSubject: [] } }), [`${at}.example.credentialSubject`])
  t.deepEqual(issuersOf({ example: { credentialSubject: { degree: { kinds: [] } } } }), [
    `${at}.example.credentialSubject.degree.kinds`,
  ])
  t.deepEqual(paths([{ type: 'QueryByFrame', credentialQuery: [{ frame: { credentialSubject: [{ a: [] }] } }] }]), [
    `${at}.frame.credentialSubject.0.a`,
  ])
  t.deepEqual(issuersOf({ example: { type: [] } }), [`${at}.example.type`])
  t.is(issuersOf({ example: { '@context': [{ a: { '@id': 'urn:a', '@container': [] } }], type: 'A' } }), undefined)
  t.false(fits({ credentialSubject: { grades: [] } }))
})

const credential: Json = {
  '@context': ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }],
  type: ['VerifiableCredential', 'CourseCredential'],
  issuer: { id: 'did:example:issuer', name: 'School' },
  credentialSubject: [
    { id: 'did:example:a', course: 'CS-101' },
    { id: 'did:example:b', grades: ['A', 'B'] },
  ],
}

const fits = (pattern: Json, trustedIssuers?: string[]) =>
  mismatch({ path: 'query.0', required: true, pattern, ...(trustedIssuers && { trustedIssuers }) }, credential) ===
  undefined

test('an example is answered by a credential that holds it, at any place of a list', (t) => {
  t.true(fits({ type: 'CourseCredential' }))
  t.true(fits({ type: ['CourseCredential', 'VerifiableCredential'] }))
  t.false(fits({ type: ['CourseCredential', 'Passport'] }))
  t.true(fits({ '@context': 'https://www.w3.org/ns/credentials/v2' }))
  t.true(fits({ '@context': [{ course: 'https://schema.org/courseCode' }] }))
  t.false(fits({ '@context': [{ course: 'https://other.example/course' }] }))
  t.true(fits({ credentialSubject: { course: 'CS-101' } }))
  t.false(fits({ credentialSubject: { id: 'did:example:b', course: 'CS-101' } }))
  t.true(fits({ credentialSubject: { grades: 'B' } }))
  t.true(fits({ credentialSubject: { '@id': 'did:example:b', grades: {} } }))
  t.false(fits({ credentialSubject: { '@id': 'did:example:c' } }))
  for (const name of ['toString', 'hasOwnProperty']) t.false(fits({ credentialSubject: { [name]: {} } }))
})

test('the issuer that counts is the one of the credential, whichever form it has', (t) => {
  t.true(fits({}, ['did:example:other', 'did:example:issuer']))
  t.false(fits({}, ['did:example:other']))
  t.true(fits({}))
  t.false(fits({}, []), 'an empty list trusts nobody (D-169)')
  t.true(fits({ issuer: { name: 'School' } }))
})

test('a callback is called by wallets, so that its form alone counts', (t) => {
  const now = new Date('2027-01-01T00:00:00Z')
  const refused = (callbackUrl: string) => {
    try {
      checkRequest({ callbackUrl }, now)
      return false
    } catch {
      return true
    }
  }
  for (const url of ['https://a.example/x?y=1', 'http://localhost:8080/', 'http://127.0.0.1/', 'https://10.0.0.1/'])
    t.false(refused(url), url)
  for (const url of [
    'http://a.example',
    'https://a@b.example',
    'https://a.example/#f',
    'ftp://a.example',
    'a',
    'https://a.example/ b',
  ])
    t.true(refused(url), url)
})

const IDENTITY = { format: 'dc+sd-jwt', meta: { vct_values: ['https://credentials.example/identity'] } }
const dcql = (...credentialQuery: unknown[]) => [{ type: 'DCQL', credentialQuery }]

test('DCQL of a template reads SD-JWT VCs and mobile credentials in their order', (t) => {
  const claims = [{ path: ['given_name'] }, { path: ['degrees', null, 'name'], values: ['MSc', 1, true] }]
  const trustedIssuer = [{ issuer: 'did:example:one' }, { issuer: 'a'.repeat(64) }]
  const mdoc = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' }, claims: [{ path: ['a', 'b'] }] }
  const { queries, errors } = readQuery(dcql(mdoc, { ...IDENTITY, claims, trustedIssuer, required: false }, IDENTITY))
  t.deepEqual(errors, [])
  const [, named, bare] = queries[0]?.dcql ?? []
  t.deepEqual(
    queries[0]?.dcql?.map(({ format }) => format),
    ['mso_mdoc', 'dc+sd-jwt', 'dc+sd-jwt'],
  )
  t.like(named, { required: false, claims, trustedIssuers: ['did:example:one', 'a'.repeat(64)] })
  t.like(bare, { required: true, claims: [], trustedIssuers: undefined })
  t.deepEqual(readQuery({ DCQL: { credentialQuery: IDENTITY } }).errors, [])
})

test('an issuer of SD-JWT VCs that does not count is refused, and a list of such ones trusts nobody', (t) => {
  const none = { issuer: 'did:example:one', required: false }
  for (const [trustedIssuer, counting] of [
    [[none], []],
    [[none, { issuer: 'did:example:two' }], ['did:example:two']],
  ]) {
    const { queries, errors } = readQuery(dcql({ ...IDENTITY, trustedIssuer }))
    const at = 'query.0.credentialQuery.0.trustedIssuer.0.required'
    t.like(errors, [{ path: at, code: 'trusted' }])
    t.like(queries[0]?.dcql?.[0], { trustedIssuers: counting })
  }
})

test('DCQL of a template is refused with the place and the rule of each fault', (t) => {
  const at = 'query.0.credentialQuery.0'
  const claim = (path: unknown, more: object = {}) => ({ claims: [{ path, ...more }] })
  const cases: [unknown, string, string][] = [
    [null, at, 'object'],
    ['dc+sd-jwt', at, 'object'],
    [{}, `${at}.format`, 'enum'],
    [{ ...IDENTITY, format: 'ldp_vc' }, `${at}.format`, 'enum'],
    [{ ...IDENTITY, format: 'vc+sd-jwt' }, `${at}.format`, 'enum'],
    [{ format: 'dc+sd-jwt' }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: [] }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: [] } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: [''] } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: [7] } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: ['a\u0007'] } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: ['x'.repeat(2_049)] } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { vct_values: Array(21).fill('a') } }, `${at}.meta.vct_values`, 'required'],
    [{ ...IDENTITY, meta: { ...IDENTITY.meta, doctype_value: 'a' } }, `${at}.meta.doctype_value`, 'unknown'],
    [{ ...IDENTITY, claim_sets: [['a']] }, `${at}.claim_sets`, 'unknown'],
    [{ ...IDENTITY, multiple: true }, `${at}.multiple`, 'unknown'],
    [
      { ...IDENTITY, require_cryptographic_holder_binding: false },
      `${at}.require_cryptographic_holder_binding`,
      'unknown',
    ],
    [{ ...IDENTITY, required: 'yes' }, `${at}.required`, 'boolean'],
    [{ ...IDENTITY, claims: [] }, `${at}.claims`, 'count'],
    [{ ...IDENTITY, claims: Array(101).fill({ path: ['a'] }) }, `${at}.claims`, 'count'],
    [{ ...IDENTITY, claims: ['given_name'] }, `${at}.claims.0`, 'object'],
    [{ ...IDENTITY, ...claim(undefined) }, `${at}.claims.0.path`, 'path'],
    [{ ...IDENTITY, ...claim([]) }, `${at}.claims.0.path`, 'path'],
    [{ ...IDENTITY, ...claim(Array(33).fill('a')) }, `${at}.claims.0.path`, 'path'],
    [{ ...IDENTITY, ...claim([0]) }, `${at}.claims.0.path`, 'path'],
    [{ ...IDENTITY, ...claim([null]) }, `${at}.claims.0.path`, 'path'],
    [{ ...IDENTITY, ...claim(['a', -1]) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a', 1.5]) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a', '']) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a', {}]) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a', '__proto__']) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a', 'x'.repeat(256)]) }, `${at}.claims.0.path.1`, 'step'],
    [{ ...IDENTITY, ...claim(['a'], { id: 'b' }) }, `${at}.claims.0.id`, 'unknown'],
    [{ ...IDENTITY, ...claim(['a'], { values: [] }) }, `${at}.claims.0.values`, 'values'],
    [{ ...IDENTITY, ...claim(['a'], { values: [null] }) }, `${at}.claims.0.values`, 'values'],
    [{ ...IDENTITY, ...claim(['a'], { values: [1.5] }) }, `${at}.claims.0.values`, 'values'],
    [{ ...IDENTITY, trustedIssuer: ['did:example:one'] }, `${at}.trustedIssuer.0`, 'object'],
    [{ ...IDENTITY, trustedIssuer: [{ issuer: 'nobody' }] }, `${at}.trustedIssuer.0.issuer`, 'uri'],
    [{ ...IDENTITY, trustedIssuer: [{ issuer: 'A'.repeat(64) }] }, `${at}.trustedIssuer.0.issuer`, 'uri'],
  ]
  for (const [entry, path, code] of cases)
    t.deepEqual(
      readQuery(dcql(entry)).errors.map((error) => [error.path, error.code]),
      [[path, code]],
      JSON.stringify(entry)?.slice(0, 120),
    )
})
