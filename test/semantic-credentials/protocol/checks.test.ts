import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { credentialErrors, type DataModel, isUri } from '../../../protocol/semantic-credentials/checks.ts'

const MODELS: DataModel[] = ['1.1', '2.0']
const BASE = { '1.1': CONTEXT.credentialsV1, '2.0': CONTEXT.credentialsV2 }
const OWN = 'https://issuer.example/context'
const START = { '1.1': 'issuanceDate', '2.0': 'validFrom' }
const END = { '1.1': 'expirationDate', '2.0': 'validUntil' }

/** A credential without a fault in either model, with other members; undefined takes one away. */
const credentialWith = (model: DataModel, more: Json = {}): Json => {
  const whole: Json = {
    '@context': [BASE[model], OWN],
    type: ['VerifiableCredential'],
    issuer: 'did:example:issuer',
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder', name: 'x' },
    ...more,
  }
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))
}

/** Each fault as its place and the end of its code. */
const faults = (model: DataModel, more: Json): string[] =>
  credentialErrors(credentialWith(model, more), model).map(
    ({ path, code }) => `${path} ${code.replace('credential.', '')}`,
  )

const both = (name: string, cases: [members: Json, ...expected: string[]][]) => {
  for (const model of MODELS)
    test(`${name}: data model ${model}`, (t) => {
      for (const [members, ...expected] of cases)
        t.deepEqual(faults(model, members), expected, JSON.stringify(members).slice(0, 200))
    })
}

test('a credential without a fault has none, and each fault has a code of its own kind and a text', (t) => {
  for (const model of MODELS) {
    t.deepEqual(faults(model, {}), [])
    const errors = credentialErrors({}, model)
    t.true(errors.length >= 4)
    for (const { code, message } of errors) {
      t.regex(code, /^credential\.[a-z_]+$/)
      t.true(message.length > 5)
    }
  }
})

test('a URI is absolute, and of its characters (RFC 3986, section 4.3)', (t) => {
  for (const uri of ['a:b', 'A+.-9:x', 'did:example:1', 'https://a.example/?b#c', 'urn:ü', `a:${'b'.repeat(4_094)}`])
    t.true(isUri(uri), uri.slice(0, 40))
  const letters = [...' \t\n<>"{}|\\^`'].map((letter) => `a:b${letter}c`)
  for (const text of [
    '',
    'a',
    ':b',
    'a:',
    '1a:b',
    '/a:b',
    ' a:b',
    'a b:c',
    `a:${'b'.repeat(4_095)}`,
    7,
    null,
    ...letters,
  ])
    t.false(isUri(text), String(text).slice(0, 40))
  t.false(isUri(['a:b']))
})

for (const model of MODELS)
  test(`the contexts begin with that of the data model (2.0, section 4.3; 1.1, section 4.1): ${model}`, (t) => {
    const other = BASE[model === '2.0' ? '1.1' : '2.0']
    for (const [context, ...expected] of [
      [BASE[model]],
      [[BASE[model], {}]],
      [undefined, '/@context/0 base_context'],
      [[], '/@context/0 base_context'],
      [other, '/@context/0 base_context'],
      [[OWN, BASE[model]], '/@context/0 base_context'],
      [[BASE[model], 'relative'], '/@context/1 context'],
      [[BASE[model], OWN, null, [OWN]], '/@context/2 context', '/@context/3 context'],
      ['relative', '/@context/0 base_context', '/@context/0 context'],
    ] as [unknown, ...string[]][])
      t.deepEqual(faults(model, { '@context': context }), expected, JSON.stringify(context))
  })

both('the types are texts, one of them VerifiableCredential (section 4.5)', [
  [{ type: 'VerifiableCredential' }],
  [{ type: ['Other', 'VerifiableCredential'] }],
  [{ type: undefined }, '/type type'],
  [{ type: [] }, '/type type'],
  [{ type: ['VerifiableCredential', ''] }, '/type type'],
  [{ type: ['VerifiableCredential', 7] }, '/type type'],
  [{ type: {} }, '/type type'],
  [{ type: ['Other'] }, '/type type'],
])

test('what is wrong with the types is said apart', (t) => {
  const said = [undefined, [], ['Other']].map((type) => credentialErrors(credentialWith('2.0', { type }), '2.0')[0])
  t.is(new Set(said.map((error) => error?.message)).size, 3)
})

both('a credential has one identifier or none, and an issuer with one (sections 4.4 and 4.7)', [
  [{ id: 'urn:x:1', issuer: { id: 'did:example:issuer', name: 'x' } }],
  [{ id: 'relative' }, '/id uri'],
  [{ id: ['urn:x:1'] }, '/id uri'],
  [{ id: null }, '/id uri'],
  [{ issuer: undefined }, '/issuer uri'],
  [{ issuer: 'nobody' }, '/issuer uri'],
  [{ issuer: ['did:example:issuer'] }, '/issuer uri'],
  [{ issuer: {} }, '/issuer/id uri'],
  [{ issuer: { id: 'nobody' } }, '/issuer/id uri'],
])

test('an identifier that is missing where it is required is said to be, and one that is wrong is said to be wrong', (t) => {
  const messageOf = (more: Json) => credentialErrors(credentialWith('2.0', more), '2.0')[0]?.message
  t.is(messageOf({ issuer: undefined }), 'is required')
  t.is(messageOf({ issuer: 'nobody' }), 'must be a URI')
  t.is(messageOf({ id: 'nobody' }), 'must be a single URI, or absent')
})

both('there is at least one subject, each with a claim (section 4.8)', [
  [{ credentialSubject: { name: 'x' } }],
  [{ credentialSubject: [{ id: 'urn:x:1' }, { name: 'y' }] }],
  [{ credentialSubject: undefined }, '/credentialSubject required'],
  [{ credentialSubject: [] }, '/credentialSubject required'],
  [{ credentialSubject: {} }, '/credentialSubject subject'],
  [{ credentialSubject: 'x' }, '/credentialSubject subject'],
  [{ credentialSubject: [{ name: 'x' }, {}, 'y'] }, '/credentialSubject/1 subject', '/credentialSubject/2 subject'],
  [{ credentialSubject: { id: 'relative' } }, '/credentialSubject/id uri'],
  [{ credentialSubject: [{ id: 'relative' }] }, '/credentialSubject/0/id uri'],
])

test('the time from which a credential of 1.1 is valid is required, in 2.0 it is not (sections 4.5 and 4.9)', (t) => {
  t.deepEqual(faults('1.1', { issuanceDate: undefined }), ['/issuanceDate date_time'])
  t.is(credentialErrors(credentialWith('1.1', { issuanceDate: undefined }), '1.1')[0]?.message, 'is required')
  t.deepEqual(faults('2.0', { issuanceDate: undefined }), [])
  t.deepEqual(faults('1.1', { expirationDate: undefined }), [])
})

for (const model of MODELS)
  test(`dates are date-times, and the end is not before the start (section 4.9): ${model}`, (t) => {
    const [start, end] = [START[model], END[model]]
    const [otherStart, otherEnd] = model === '2.0' ? [START['1.1'], END['1.1']] : [START['2.0'], END['2.0']]
    const moments = (from: unknown, until: unknown) => faults(model, { [start]: from, [end]: until })
    const [one, two] = ['2026-02-01T00:00:00Z', '2026-02-01T00:00:01Z']
    t.deepEqual(moments(one, two), [])
    t.deepEqual(moments(one, one), [])
    t.deepEqual(moments(two, one), [`/${end} date_order`])
    t.deepEqual(moments('yesterday', one), [`/${start} date_time`])
    t.deepEqual(moments(one, 'tomorrow'), [`/${end} date_time`])
    t.deepEqual(moments(one, null), [`/${end} date_time`], 'null hides no end')
    const zone = model === '2.0' ? [`/${start} date_time`] : []
    t.deepEqual(moments('2026-02-01T00:00:00', two), zone, '2.0 has dateTimeStamps')
    for (const member of [otherStart, otherEnd]) {
      t.deepEqual(faults(model, { [member]: 'x' }), [`/${member} date_time`])
      t.deepEqual(faults(model, { [member]: null }), [], 'a name of the other model without a meaning here')
    }
    t.deepEqual(faults(model, { [otherStart]: two, [otherEnd]: one }), [], 'the order is of the own names')
  })

const MEMBERS = ['credentialStatus', 'credentialSchema', 'refreshService', 'evidence', 'termsOfUse', 'proof']
/** Whose id is required, by model. */
const IDENTIFIED: Record<string, DataModel[]> = {
  credentialStatus: ['1.1'],
  credentialSchema: ['1.1', '2.0'],
  refreshService: ['1.1'],
}

for (const model of MODELS)
  for (const member of MEMBERS)
    test(`${member} is typed, and identified where its section says so (4.10, 4.11, 5): data model ${model}`, (t) => {
      const of = (value: unknown) => faults(model, { [member]: value })
      const missing = IDENTIFIED[member]?.includes(model) ? [`/${member}/id uri`] : []
      t.deepEqual(of({ id: 'urn:x:1', type: 'A' }), [])
      t.deepEqual(of([{ id: 'urn:x:1', type: ['A'] }]), [])
      t.deepEqual(of([]), [])
      t.deepEqual(of({ type: 'A' }), missing)
      t.deepEqual(of({ id: 'relative', type: 'A' }), [`/${member}/id uri`])
      t.deepEqual(of({ id: 'urn:x:1' }), [`/${member}/type type`])
      t.deepEqual(of({ id: 'urn:x:1', type: [] }), [`/${member}/type type`])
      t.deepEqual(of('x'), [`/${member} object`])
      t.deepEqual(of([{ id: 'urn:x:1', type: 'A' }, null]), [`/${member}/1 object`])
    })

both('a credential has at most ten statuses, which bounds what is fetched for it', [
  [{ credentialStatus: Array.from({ length: 10 }, (_, nth) => ({ id: `urn:x:${nth}`, type: 'A' })) }],
  [
    { credentialStatus: Array.from({ length: 11 }, (_, nth) => ({ id: `urn:x:${nth}`, type: 'A' })) },
    '/credentialStatus too_many',
  ],
])

const TEXTS: unknown[] = [
  'x',
  ['x', 'y'],
  { '@value': 'x' },
  { '@value': 'x', '@language': 'de', '@direction': 'rtl' },
  { '@value': 'x', '@direction': 'ltr' },
  { '@value': 'x', '@direction': null },
]
const NO_TEXTS: unknown[] = [
  7,
  null,
  ['x', 7],
  {},
  { '@value': 7 },
  { '@language': 'de' },
  { '@value': 'x', '@language': 7 },
  { '@value': 'x', '@direction': 'up' },
  { '@value': 'x', more: 'y' },
]

for (const member of ['name', 'description'])
  test(`${member} of a credential and of its issuer is text with or without a language (2.0, sections 4.6 and 11.1)`, (t) => {
    const ofIssuer = (value: unknown) => ({ issuer: { id: 'did:example:issuer', [member]: value } })
    for (const value of [...TEXTS, ...NO_TEXTS]) {
      const wrong = NO_TEXTS.includes(value)
      const text = JSON.stringify(value)
      t.deepEqual(faults('2.0', { [member]: value }), wrong ? [`/${member} text`] : [], text)
      t.deepEqual(faults('2.0', ofIssuer(value)), wrong ? [`/issuer/${member} text`] : [], text)
      t.deepEqual(faults('1.1', { [member]: value, ...ofIssuer(value) }), [], '1.1 does not define them')
    }
  })

test('related resources have an id each, no two the same, and a digest (2.0, section 5.3)', (t) => {
  const digestSRI = `sha384-${Buffer.alloc(48).toString('base64')}`
  const of = (relatedResource: unknown) => faults('2.0', { relatedResource })
  const [one, two] = ['https://a.example/1', 'https://a.example/2'].map((id) => ({ id, digestSRI }))
  t.deepEqual(of(one), [])
  t.deepEqual(of([one, two]), [])
  t.deepEqual(of([one, two, one]), ['/relatedResource/2/id duplicate'])
  t.deepEqual(of(['x', one]), ['/relatedResource/0 object'])
  t.deepEqual(of({ digestSRI }), ['/relatedResource/id uri'])
  t.deepEqual(of({ id: 'relative', digestSRI }), ['/relatedResource/id uri'])
  t.deepEqual(of([{ ...one, digestSRI: 'sha384-AAAA' }]), ['/relatedResource/0/digestSRI digest'])
  t.deepEqual(of({ id: 'https://a.example/1' }), ['/relatedResource/digestSRI digest'])
  t.deepEqual(of({ id: CONTEXT.credentialsV2, digestSRI }), ['/relatedResource/digestSRI digest'], 'known bytes')
  t.deepEqual(faults('1.1', { relatedResource: 'x' }), [], '1.1 does not define them')
})
