import test from 'ava'
import fc from 'fast-check'
import { readHeader, rowOfCells } from '../../../protocol/credentials/batches.csv.ts'
import { isExactNumber } from '../../../protocol/json.numbers.ts'
import { parseJson } from '../../../protocol/json.strict.ts'
import { convertLinkedData } from '../../../protocol/semantic-credentials/linked-data.ts'

/** A decimal as an exact fraction: slow, and shares nothing with what is tested. */
function fractionOf(literal: string): { numerator: bigint; denominator: bigint; negative: boolean } {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const power = Number(exponent) - fraction.length
  const [numerator, denominator] = [10n ** BigInt(Math.max(power, 0)), 10n ** BigInt(Math.max(-power, 0))]
  return { numerator: BigInt(whole + fraction) * numerator, denominator, negative: mantissa.startsWith('-') }
}

function sameDecimal(one: string, other: string): boolean {
  const [a, b] = [fractionOf(one), fractionOf(other)]
  return a.negative === b.negative && a.numerator * b.denominator === b.numerator * a.denominator
}

const expected = (literal: string): boolean => {
  const value = Number(literal)
  return Number.isFinite(value) && sameDecimal(literal, String(value))
}

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${maxLength}}$`))
/** Numbers of JSON: short and long, with zeros at all places, with exponents that lead out of a double's range. */
const literals = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.nat().map(String),
      digits(25).map((text) => `1${text}`),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digits(25).map((text) => `.${text}0`),
      fc.tuple(fc.nat(30), digits(20)).map(([zeros, text]) => `.${'0'.repeat(zeros)}${text}5`),
    ),
    exponent: fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(400)).map(([e, at]) => e + at),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent)

test('a number passes when its decimal value is that of the shortest text of its double, and only then (D-007)', (t) => {
  let passed = 0
  fc.assert(
    fc.property(fc.oneof(literals, fc.double({ noDefaultInfinity: true, noNaN: true }).map(String)), (literal) => {
      JSON.parse(literal)
      const exact = isExactNumber(literal)
      passed += exact ? 1 : 0
      return exact === expected(literal)
    }),
    { numRuns: 20_000 },
  )
  t.true(passed > 1_000 && passed < 19_000, `${passed} of 20,000 passed: both answers were met`)
})

const EXACT = [
  '0',
  '0.0',
  '0e5',
  '0e999999999999',
  '1.0',
  '1e2',
  '1E+2',
  '0.1',
  '-0.1',
  '100e-2',
  '5e-324',
  '0.10',
  '1.5e300',
].concat([
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '6.02214076e23',
  '1.7976931348623157e308',
  '0.30000000000000004',
  '1e-7',
  '0.0000001',
])
const ALTERED = [
  '-0',
  '-0.0',
  '-0e5',
  '1e-400',
  '-1e-400',
  '0.1234567890123456789',
  '4e-324',
  '1e400',
  '9007199254740993',
].concat(['18446744073709551616', '0.1000000000000000055511151231257827', '1e999999999999', '1.00000000000000001'])

for (const literal of EXACT)
  test(`${literal} is read as it is written (D-007)`, (t) => {
    t.true(isExactNumber(literal))
    t.deepEqual(parseJson(`{"a":[${literal}]}`), JSON.parse(`{"a":[${literal}]}`))
  })

for (const literal of ALTERED)
  test(`${literal} is refused by its place: a double holds another number (D-007)`, (t) => {
    t.false(isExactNumber(literal))
    const error = t.throws(() => parseJson(`{"a":[1,${literal}]}`), { code: 'request.number_out_of_range' })
    t.like(error, { errors: [{ path: 'a.1', code: 'number' }] })
  })

test('a literal of a million digits is looked at in milliseconds', (t) => {
  const zeros = '0'.repeat(1_000_000)
  for (const [literal, exact] of [
    [`1${zeros}`, false],
    [`0.${zeros}1`, false],
    [`0.${zeros}1e1000001`, true],
    [`0.1${zeros}`, true],
    [`0.1${zeros}1`, false],
    [`0.${'01'.repeat(500_000)}`, false],
  ] as const) {
    const began = performance.now()
    t.is(isExactNumber(literal), exact, literal.slice(0, 10))
    t.true(performance.now() - began < 1_000)
  }
})

const CELLS: [cell: string, fits: boolean][] = [
  ...EXACT.filter((literal) => !/[eE]\+/.test(literal)).map((literal): [string, boolean] => [literal, true]),
  ...ALTERED.map((literal): [string, boolean] => [literal, false]),
]

for (const [cell, fits] of CELLS)
  for (const as of ['number', 'json'] as const)
    test(`a cell of ${cell} in a :${as} column is ${fits ? 'the number' : 'a row with an error'} (D-007)`, (t) => {
      const text = as === 'json' ? `{"a":${cell}}` : cell
      const row = rowOfCells(readHeader([`grade:${as}`], 'claims'), [text], 'claims', parseJson)
      if (fits) t.deepEqual(row, { input: { claims: { grade: JSON.parse(text) } } })
      else t.like(row, { errors: [{ path: `grade:${as}`, code: `row.${as}` }] })
    })

const documentLoader = async () => {
  throw new Error('no context is needed')
}

for (const [value, fits] of [
  ['{"a":0.5}', true],
  ['{"a":-0}', false],
  ['{"a":1e-400}', false],
  ['{"a":1,"a":2}', false],
] as const)
  test(`a JSON literal ${value} in N-Quads is ${fits ? 'read' : 'refused'} (D-007)`, async (t) => {
    const literal = `${JSON.stringify(value)}^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>`
    const from = { format: 'n-quads', text: `<urn:s> <urn:p> ${literal} .\n` } as const
    const work = convertLinkedData({ from, to: 'jsonld' }, { documentLoader })
    if (fits) t.regex(JSON.stringify(await work), /"@value":\{"a":0\.5\}/)
    else await t.throwsAsync(work, { code: 'linked_data.unreadable' })
  })
