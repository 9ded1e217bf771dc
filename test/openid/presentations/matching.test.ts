import { createHash } from 'node:crypto'
import test from 'ava'
import { DcqlQuery as Foreign } from 'dcql'
import fc from 'fast-check'
import { mismatchOf, selected } from '../../../protocol/openid/dcql/match.ts'
import type { DcqlCredential } from '../../../protocol/openid/dcql/query.ts'
import { readDcqlQuery } from '../../../protocol/openid/dcql/read.ts'
import { agreedTo } from '../../../protocol/openid/presentations/transactions.ts'
import { dcqlOf, wantedOf } from '../../../protocol/openid/verifiers/dcql.ts'
import type { PresentationQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'

const TYPES = ['https://types.example/a', 'https://types.example/b']
const NAMES = ['a', 'b', 'c']

const scalar = fc.oneof(fc.constantFrom('x', 'y'), fc.integer({ min: 0, max: 1 }), fc.boolean())
// no empty lists, and null as the last step alone: where elements are missing or of several kinds, section 7.1 calls that an
// error (the test below), and the library goes on
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { minLength: 1, maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).object

const path = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.array(fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(0, 1)), { maxLength: 2 }),
    fc.subarray([null]),
  )
  .map(([first, rest, last]) => [first, ...rest, ...last])

const claim = fc.record({
  path,
  values: fc.option(fc.array(scalar, { minLength: 1, maxLength: 2 }), { nil: undefined }),
})

/** A query with claims, and sometimes with sets of them. */
const query = fc
  .record({
    types: fc.subarray(TYPES, { minLength: 1 }),
    claims: fc.option(
      fc.uniqueArray(claim, { minLength: 1, maxLength: 3, selector: ({ path }) => JSON.stringify(path) }),
      { nil: undefined },
    ),
    hasSets: fc.boolean(),
    cut: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ types, claims, hasSets, cut }) => {
    const named = claims?.map(({ values, ...each }, nth) => ({ id: `c${nth}`, ...each, ...(values && { values }) }))
    const ids = named?.map(({ id }) => id) ?? []
    const sets = [ids.slice(0, cut), ids].filter(({ length }) => length > 0)
    return {
      credentials: [
        {
          id: 'one',
          format: 'dc+sd-jwt' as const,
          meta: { vct_values: types },
          ...(named && { claims: named, ...(hasSets && { claim_sets: sets }) }),
        },
      ],
    }
  })

test('a credential answers a query exactly where another implementation says so (OpenID4VP 1.0, sections 6 and 7)', (t) => {
  let matches = 0
  fc.assert(
    fc.property(query, document, fc.constantFrom(...TYPES), (given, claims, vct) => {
      const read = readDcqlQuery(given, 'dcqlQuery')
      t.deepEqual(read.errors, [])
      t.deepEqual(read.query, given)
      const [asked] = read.query.credentials
      const ours =
        asked && mismatchOf(asked, { types: [vct], document: claims, authorityKeys: [], trustLists: [] }) === undefined
      const foreign = Foreign.parse(given as never)
      Foreign.validate(foreign)
      const presented = {
        credential_format: 'dc+sd-jwt' as const,
        vct,
        claims: claims as never,
        cryptographic_holder_binding: true,
      }
      const theirs = Foreign.query(foreign, [presented])
      if (ours) matches += 1
      return ours === theirs.can_be_satisfied
    }),
    { numRuns: 2_000, includeErrorInReport: true },
  )
  t.true(matches > 100, `${matches} of 2,000 match`)
})

test('two claims of a query have no path in common (section 6.1)', (t) => {
  const claims = [{ path: ['a', null] }, { path: ['a'] }, { path: ['a', null], values: [1] }]
  const given = { credentials: [{ id: 'one', format: 'dc+sd-jwt', meta: { vct_values: TYPES }, claims }] }
  t.like(readDcqlQuery(given, 'q').errors, [{ path: 'q.credentials.0.claims.2.path', code: 'repeated' }])
})

test('an example of a template makes a query that the standard allows, whatever values it has (section 6.3)', (t) => {
  const values = { gpa: 3.5, large: 1e300, empty: '', count: 3, passed: false, course: 'CS-101' }
  const pattern = { type: 'Course', credentialSubject: { ...values, within: values } }
  const within = {
    type: 'QueryByExample',
    credentialQuery: [{ required: true, pattern }],
  } as unknown as PresentationQuery
  const asked = dcqlOf(wantedOf([within]), () => ['https://example.org/Course'])
  t.deepEqual(readDcqlQuery(asked, 'q').errors, [])
  const named = asked.credentials[0]?.claims?.flatMap((each) => each.values ?? [])
  t.deepEqual(named, [3, false, 'CS-101', 3, false, 'CS-101'])
})

test('a path selects by names, indexes and all elements, and nothing where one value is of another kind (section 7.1)', (t) => {
  const claims = { list: [{ a: 1 }, { a: 2 }, { b: 3 }], mixed: [{ a: 1 }, 'text'], deep: { deeper: [[1, 2]] } }
  const cases: [(string | number | null)[], unknown[]][] = [
    [
      ['list', null, 'a'],
      [1, 2],
    ],
    [['list', 1, 'a'], [2]],
    [['list', 3, 'a'], []],
    [['mixed', null, 'a'], []],
    [['deep', 'deeper', 0, 1], [2]],
    [
      ['deep', 'deeper', null, null],
      [1, 2],
    ],
    [['toString'], []],
    [['list', 'length'], []],
  ]
  for (const [steps, values] of cases) t.deepEqual(selected(claims, steps), values, steps.join())
})

test('authorities, document types and types as IRIs decide before claims', (t) => {
  const facts = {
    types: ['t'],
    document: { n: { e: 1 } },
    authorityKeys: ['key'],
    trustLists: ['https://lists.example/a'],
  }
  const mdoc: DcqlCredential = { id: 'm', format: 'mso_mdoc', meta: { doctype_value: 't' } }
  const ldp: DcqlCredential = { id: 'l', format: 'ldp_vc', meta: { type_values: [['t', 'u'], ['t']] } }
  t.is(mismatchOf(mdoc, facts), undefined)
  t.regex(mismatchOf({ ...mdoc, meta: { doctype_value: 'u' } }, facts) ?? '', /document type u/)
  t.is(mismatchOf(ldp, facts), undefined)
  t.regex(mismatchOf({ ...ldp, meta: { type_values: [['t', 'u']] } }, facts) ?? '', /type_values/)
  const trusted = (values: string[]): DcqlCredential => ({ ...mdoc, trusted_authorities: [{ type: 'aki', values }] })
  t.is(mismatchOf(trusted(['other', 'key']), facts), undefined)
  t.regex(mismatchOf(trusted(['other']), facts) ?? '', /trusted_authorities/)
  const listed = (url: string): DcqlCredential => ({
    ...mdoc,
    trusted_authorities: [{ type: 'etsi_tl', values: [url] }],
  })
  t.is(mismatchOf(listed('https://lists.example/a'), facts), undefined)
  t.regex(mismatchOf(listed('key'), facts) ?? '', /trusted_authorities/)
})

test('a holder agrees to transaction data by a hash that the data allows (OpenID4VP 1.0, appendix B.3.3.1)', (t) => {
  const entryOf = (algorithms?: string[]) => ({
    credentialIds: ['a'],
    encoded: 'e30',
    ...(algorithms && { algorithms }),
  })
  const by = (name: string) => ({
    transaction_data_hashes: [createHash(name.replace('-', '')).update('e30').digest('base64url')],
    transaction_data_hashes_alg: name,
  })
  const cases: [allowed: string[] | undefined, used: string, isAgreed: boolean][] = [
    [undefined, 'sha-256', true],
    [undefined, 'sha-512', false],
    [['sha-512'], 'sha-512', true],
    [['sha-384', 'sha-512'], 'sha-256', false],
  ]
  for (const [allowed, used, isAgreed] of cases)
    t.is('agreed' in agreedTo([entryOf(allowed)], by(used)), isAgreed, `${allowed} ${used}`)
  t.true('fault' in agreedTo([entryOf()], { ...by('sha-256'), transaction_data_hashes_alg: 'sha-1' }))
  const { transaction_data_hashes_alg: _, ...unnamed } = by('sha-256')
  t.true('agreed' in agreedTo([entryOf()], unnamed), 'the request names none either')
  t.true('fault' in agreedTo([entryOf(['sha-256'])], unnamed), 'it names some (OpenID4VP 1.0, appendix B.3.3.1)')
})
