import test from 'ava'
import { createDocumentLoader } from '../../protocol/contexts/index.ts'
import { prepareProof } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { credential } from '../support/credentials/shapes.ts'

const options = { documentLoader: createDocumentLoader() }
const XSD = 'http://www.w3.org/2001/XMLSchema#'

type Given = { proofType?: 'eddsa-rdfc-2022' | 'bbs-2023'; proofPurpose?: 'assertionMethod' | 'authentication' }

/** Path and code of the refusal of a credential with a value of a type; undefined if it is signed. */
async function refused(type: string, value: unknown, { proofType = 'eddsa-rdfc-2022', proofPurpose }: Given = {}) {
  const context = [
    'https://www.w3.org/ns/credentials/v2',
    { value: { '@id': 'https://a.example/value', '@type': type } },
  ]
  const request = {
    credential: credential({ id: 'did:example:s', value }, { '@context': context }),
    proofType,
    ...(proofPurpose && { proofPurpose }),
    verificationMethod: 'did:example:i#k',
    created: '2027-01-01T00:00:00Z',
    hmacKey: new Uint8Array(32),
  }
  const error = await prepareProof(request, options).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined) return undefined
  if (!(error instanceof Refusal)) throw error
  return [error.code, ...error.errors.map(({ path }) => path)].join(' ')
}

const REFUSED = 'credential.value_type /credentialSubject/value'

const VALUES: [type: string, right: unknown[], wrong: unknown[]][] = [
  [
    'date',
    ['2027-06-30', '2028-02-29', '2027-06-30Z', '2027-06-30+02:00', '-0044-03-15'],
    [
      '30.06.2026',
      '2026-02-31',
      '2027-02-29',
      '2027-13-01',
      '2027-6-1',
      '',
      'nonsense',
      '2027-06-30T00:00:00Z',
      7,
      true,
    ],
  ],
  [
    'dateTime',
    ['2027-06-30T12:00:00Z', '2027-06-30T12:00:00.5+02:00', '2027-06-30T24:00:00', '1958-07-17'],
    ['2027-06-30 12:00:00', '2027-06-30T25:00:00Z', '2027-02-30T12:00:00Z', '12:00:00'],
  ],
  ['dateTimeStamp', ['2027-06-30T12:00:00Z'], ['2027-06-30T12:00:00', '2027-06-30']],
  ['time', ['12:00:00', '23:59:59.9Z'], ['12:00', '24:00:01', 'noon']],
  ['gYear', ['2027'], ['27', '2027-01']],
  ['gYearMonth', ['2027-06'], ['2027-13', '2027']],
  ['boolean', [true, false, 'true', '0'], ['yes', 'TRUE', 2, '']],
  ['integer', [7, -7, '7', '007'], [1.5, '1.5', '7 ', 'seven', '1,5']],
  ['nonNegativeInteger', [0, 7], [-1, '-7']],
  ['positiveInteger', [1, '10'], [0, -1, '00']],
  ['nonPositiveInteger', [0, -7], [1]],
  ['negativeInteger', [-1], [0, 1, '-0']],
  ['decimal', [1.5, '1.50', 7, '-.5'], ['1,5', 'INF', '']],
  ['double', [1.5, 7], [true]],
  ['float', ['1.5', '1.5E3', '-INF', 'NaN'], ['1,5', 'one', '0x10']],
]

for (const [type, right, wrong] of VALUES)
  test(`values of the type xsd:${type} (D-267)`, async (t) => {
    for (const value of right) t.is(await refused(XSD + type, value), undefined, JSON.stringify(value))
    for (const value of wrong) t.is(await refused(XSD + type, value), REFUSED, JSON.stringify(value))
  })

test('a bbs-2023 proof holds values to their types as well (D-267)', async (t) => {
  t.is(await refused(`${XSD}date`, '2026-02-31', { proofType: 'bbs-2023' }), REFUSED)
  t.is(await refused(`${XSD}date`, '2026-02-28', { proofType: 'bbs-2023' }), undefined)
})

test('values of other types, without a type, and in presentations are signed as they are (D-267)', async (t) => {
  t.is(await refused(`${XSD}string`, '30.06.2026'), undefined)
  t.is(await refused('https://schema.org/Date', '30.06.2026'), undefined)
  t.is(await refused(`${XSD}date`, '30.06.2026', { proofPurpose: 'authentication' }), undefined)
  const hidden = `\u2028x y "2027" ^^<${XSD}date>\n_:b <https://a.example/p> "x"^^<${XSD}date>`
  t.is(await refused(`${XSD}string`, hidden), undefined, 'a text that looks like a statement')
})

test('of several members with the value the one that is named as its term is told (D-267)', async (t) => {
  const context = [
    'https://www.w3.org/ns/credentials/v2',
    {
      graduatedOn: { '@id': 'https://a.example/#graduatedOn', '@type': `${XSD}date` },
      note: 'https://a.example/#note',
    },
  ]
  const subject = { note: '30.06.2026', graduatedOn: '30.06.2026' }
  const request = {
    credential: credential(subject, { '@context': context }),
    proofType: 'eddsa-rdfc-2022' as const,
    verificationMethod: 'did:example:i#k',
    created: '2027-01-01T00:00:00Z',
  }
  const error = await t.throwsAsync<Refusal>(prepareProof(request, options))
  t.deepEqual(
    error?.errors.map(({ path }) => path),
    ['/credentialSubject/graduatedOn'],
  )
  t.false(JSON.stringify([error?.message, error?.errors]).includes('30.06.2026'), 'errors repeat no value')
})
