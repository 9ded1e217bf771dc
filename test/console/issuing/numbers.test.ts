import test from 'ava'
import { isExactNumber } from '../../../console/frame/forms/numbers.ts'
import { Inexact, isInexact, parseTyped } from '../../../console/frame/forms/typed.ts'
import { isExactNumber as ofPlatform } from '../../../protocol/json.numbers.ts'

const LITERALS = [
  ...['0', '-0', '0.0', '1.0', '1e2', '1E+2', '0.1', '1.70', '100', '1e21', '123456789012345680000', '5e-324'],
  ...['9007199254740991', '9007199254740993', '0.1234567890123456789', '1e-400', '1e400', '0.30000000000000004'],
  ...[
    '1,7',
    '',
    ' 1',
    '0x10',
    'Infinity',
    'NaN',
    '1.',
    '.5',
    '+1',
    '1e',
    `1${'0'.repeat(300)}`,
    `0.${'0'.repeat(400)}1`,
  ],
]

test('the page takes the numbers that the platform takes', (t) => {
  for (const literal of LITERALS) t.is(isExactNumber(literal), ofPlatform(literal), literal)
  for (let at = 0; at < 2_000; at++) {
    const literal = ((Math.random() - 0.5) * 10 ** (at % 40)).toPrecision((at % 20) + 1)
    t.is(isExactNumber(literal), ofPlatform(literal), literal)
  }
})

test('a number within JSON is looked at as it was typed, and one within a text is none', (t) => {
  t.deepEqual(parseTyped('{ "a": [1.5, -2e3], "b\\"9007199254740993": "9007199254740993" }'), {
    a: [1.5, -2000],
    'b"9007199254740993': '9007199254740993',
  })
  const error = t.throws(() => parseTyped('{ "a": [1, 9007199254740993] }'), { instanceOf: Inexact })
  t.is(error?.literal, '9007199254740993')
  t.throws(() => parseTyped('{'), { instanceOf: SyntaxError })
  t.deepEqual(['9007199254740993', '1.7', 'CS-101', ''].map(isInexact), [true, false, false, false])
})
