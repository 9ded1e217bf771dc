import test from 'ava'
import { statedInJsonLd, statersOf } from '../../../protocol/openid/verifiers/claims.ts'
import { wantedOf } from '../../../protocol/openid/verifiers/dcql.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'

const sdJwt = (claims?: unknown[][], isTrusted = false) => ({
  format: 'dc+sd-jwt',
  meta: { vct_values: ['https://credentials.example/identity'] },
  ...(claims && { claims: claims.map((path) => ({ path })) }),
  ...(isTrusted && { trustedIssuer: [{ issuer: 'did:example:one' }] }),
})
const mdoc = (...path: string[]) => ({ format: 'mso_mdoc', meta: { doctype_value: 'd' }, claims: [{ path }] })
const jsonLd = (isTrusted = false) => ({
  example: { type: 'VerifiableCredential', credentialSubject: { a: {} } },
  ...(isTrusted && { trustedIssuer: [{ issuer: 'did:example:one' }] }),
})

/** The numbers of the credentials that a name is taken from. */
const staters = (name: string, ...credentials: object[]) => {
  const { queries, errors } = readQuery(
    credentials.map((each) => ({ type: 'format' in each ? 'DCQL' : 'QueryByExample', credentialQuery: [each] })),
  )
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return [...statersOf(name, wantedOf(queries))].map((id) => Number(id.replace('credential_', '')))
}

const IRI = 'https://schema.org/givenName'
const CASES: [what: string, name: string, credentials: object[], expected: number[]][] = [
  ['a claim that is asked for', 'given_name', [sdJwt([['given_name']])], [0]],
  ['one that is not', 'family_name', [sdJwt([['given_name']])], []],
  ['a part of an asked claim', 'address/country', [sdJwt([['address']])], [0]],
  ['a claim of which a part is asked for', 'address', [sdJwt([['address', 'country']])], []],
  ['a list whose elements are asked for', 'nationalities', [sdJwt([['nationalities', null]])], [0]],
  ['a member of each element', 'degrees', [sdJwt([['degrees', null, 'name']])], []],
  ['a name with a slash', 'a/b', [sdJwt([['a/b']])], [0]],
  ['an IRI that is asked for', IRI, [sdJwt([[IRI]])], [0]],
  ['an IRI that is not', IRI, [sdJwt(), sdJwt([['given_name']]), jsonLd()], [2]],
  ['no claims are asked for', 'given_name', [sdJwt(), sdJwt([['points']])], [0]],
  ['two of any issuer', 'given_name', [sdJwt([['given_name']]), sdJwt()], [0, 1]],
  ['the trusted one of two', 'given_name', [sdJwt([['given_name']]), sdJwt([['given_name']], true)], [1]],
  ['the trusted one, whatever it discloses', 'given_name', [sdJwt([['given_name']]), sdJwt(undefined, true)], [1]],
  ['both of two trusted ones', 'given_name', [sdJwt([['given_name']], true), sdJwt([['given_name']], true)], [0, 1]],
  ['an element of a mobile credential', 'n.s/name', [sdJwt(), sdJwt([['n.s']]), mdoc('n.s', 'name')], [2]],
  ['an element that is not asked for', 'n.s/age', [mdoc('n.s', 'name')], []],
  ['a plain name beside JSON-LD', 'given_name', [jsonLd(true), sdJwt([['given_name']])], [1]],
  ['credentials of JSON-LD', IRI, [jsonLd(true), jsonLd()], [0, 1]],
  ['an asked IRI beside trusted JSON-LD', IRI, [jsonLd(true), sdJwt([[IRI]])], [0]],
]

for (const [what, name, credentials, expected] of CASES)
  test(`a mapped claim is taken from those that are asked for it: ${what}`, (t) => {
    t.deepEqual(staters(name, ...credentials), expected)
  })

test('a claim is taken of the subject who presents, and of no other subject of the credential', (t) => {
  const subjectOf = (id: string | undefined, name: string) => ({
    ...(id && { '@id': id }),
    [IRI]: [{ '@value': name }],
  })
  const expanded = (...subjects: object[]) => [{ 'https://www.w3.org/2018/credentials#credentialSubject': subjects }]
  const [ada, eve, nobody] = [subjectOf('did:a', 'Ada'), subjectOf('did:e', 'Eve'), subjectOf(undefined, 'Nobody')]
  t.deepEqual(statedInJsonLd(expanded(eve, ada, nobody), 'did:a', IRI), ['Ada'])
  t.deepEqual(statedInJsonLd(expanded(eve, nobody), 'did:a', IRI), [])
})

test('a claim is taken of the parts of the subject, and not of who or what is named beside it (D-1203)', (t) => {
  const [birth, email] = ['https://schema.org/birthDate', 'https://schema.org/email']
  const dated = (date: string, more: object = {}) => ({ ...more, [birth]: [{ '@value': date }] })
  const stated = (members: object, property = birth) =>
    statedInJsonLd(
      [{ 'https://www.w3.org/2018/credentials#credentialSubject': [{ '@id': 'did:a', ...members }] }],
      'did:a',
      property,
    )
  const other = dated('1950-01-01', { '@id': 'did:parent', [email]: [{ '@value': 'boss@corp.example' }] })
  const about = (node: object) => ({ 'https://e.example/about': [node] })
  t.deepEqual(stated(about(dated('2000-01-01'))), ['2000-01-01'], 'a part')
  t.deepEqual(stated(about(about(dated('2000-01-01')))), ['2000-01-01'], 'a part of a part')
  t.deepEqual(stated(about({ '@list': [dated('2000-01-01')] })), ['2000-01-01'], 'a part in a list')
  t.deepEqual(stated(about(dated('2000-01-01', { '@id': 'did:a' }))), ['2000-01-01'], 'the subject, once more')
  t.deepEqual(stated(about({ '@id': 'did:parent' }), 'https://e.example/about'), ['did:parent'], 'who it is, by its id')
  t.deepEqual(stated(about(other)), [], 'a parent')
  t.deepEqual(stated(about(other), email), [])
  t.deepEqual(stated(about(about(other))), [], 'of a part')
  t.deepEqual(stated(about({ '@list': [other] })), [], 'in a list')
  t.deepEqual(stated(about({ '@id': 'did:parent', ...about(dated('1950-01-01')) })), [], 'a part of the parent')
  for (const keyword of ['@included', '@graph']) t.deepEqual(stated({ [keyword]: [dated('1950-01-01')] }), [], keyword)
  t.deepEqual(stated({ '@reverse': about(dated('1950-01-01')) }), [], 'who names the subject')
})
