import test from 'ava'
import { lacking, runsOf, wrap } from '../../protocol/compact-credentials/pdfs/shape.ts'
import { claimFinder, fillValue, parseValue } from '../../protocol/compact-credentials/pdfs/values.ts'

const filled = (value: string, decoded: Record<string, unknown>, profile: 'compact' | 'compact-semantic' = 'compact') =>
  fillValue(parseValue(value) ?? [], claimFinder(profile, decoded))

const own = (property_set: object, more: object = {}) => ({ iss: 'did:example:issuer', property_set, ...more })

test('texts, numbers and truth values stand as they are; what is absent is named', (t) => {
  t.deepEqual(filled('{{a}} and {{ b }}, {{c}}{{d}}', own({ a: 'x', b: 1.5, c: false })), {
    text: 'x and 1.5, false',
    missing: ['d'],
    undated: [],
  })
  t.deepEqual(filled('{{ [first name] }} {{ a.b }}', own({ 'first name': 'Ada', 'a.b': 'c' })).text, 'Ada c')
  t.deepEqual(filled('no claim, { one } brace', own({})).text, 'no claim, { one } brace')
})

test('a claim is its own, or one of the credential; never a member of every object', (t) => {
  t.is(filled('{{ iss }}', own({})).text, 'did:example:issuer')
  for (const name of ['constructor', '__proto__', 'toString', 'constructor.name', 'property_set'])
    t.deepEqual(filled(`{{ ${name} }}`, own({ a: 1 })).missing, [name])
})

test('dates are of whole seconds, dates, and dates with a time, in UTC', (t) => {
  for (const [value, text] of [
    [1_893_456_000, '01 Jan 2030'],
    [0, '01 Jan 1970'],
    ['2030-12-31', '31 Dec 2030'],
    ['2030-12-31T23:59:59Z', '31 Dec 2030'],
    ['2030-12-31T23:30:00-02:00', '01 Jan 2031'],
  ] as const)
    t.is(filled("{{ date day 'dd MMM yyyy' }}", own({ day: value })).text, text)
  for (const value of ['2030-02-30', '31.12.2030', 1.5, true, 1e15])
    t.deepEqual(filled("{{ date day 'dd MMM yyyy' }}", own({ day: value })).undated, ['day'])
})

test('expiry is the time at which the credential expires, of either kind, and a claim of this name comes first', (t) => {
  const value = "{{ date expiry 'yyyy' }}"
  t.is(filled(value, own({}, { exp: 1_893_456_000 })).text, '2030')
  t.is(filled(value, { expirationDate: '2031-01-01T00:00:00Z' }, 'compact-semantic').text, '2031')
  t.is(filled(value, { validUntil: '2032-01-01T00:00:00Z' }, 'compact-semantic').text, '2032')
  t.is(filled(value, own({ expiry: '2033-01-01' }, { exp: 1_893_456_000 })).text, '2033')
})

test('what is no placeholder is none', (t) => {
  for (const value of [
    '{{',
    '{{}}',
    '{{ }}',
    '{{ a b }}',
    '{{ date a }}',
    '{{ date a dd }}',
    "{{ date a '' }}",
    '{{{ a }}}',
    "{{ date a 'Q' }",
    "{{ date a 'foo' }}",
  ])
    t.is(parseValue(value), undefined, value)
  for (const pattern of ['YYYY', 'DD', 'yyyy-MM-DD']) t.is(parseValue(`{{ date a '${pattern}' }}`), undefined, pattern)
  t.is(parseValue(`{{ date a '${'y'.repeat(101)}' }}`), undefined)
})

test('runs are in the order in which they are seen (Unicode Standard Annex #9)', (t) => {
  const seen = (line: string, rightToLeft: boolean) =>
    runsOf(line, rightToLeft, () => 'f').map(({ text, rightToLeft: back }) =>
      back ? [...text].reverse().join('') : text,
    )
  t.deepEqual(seen('abc אבג def', false).join(''), 'abc גבא def')
  t.deepEqual(seen('אבג (12) דה', true).join(''), 'הד (12) גבא')
  t.deepEqual(seen('אב abc 12 גד', true).join(''), 'דג abc 12 בא')
})

test('lines break between words, within a word that is too wide, and at line breaks', (t) => {
  const width = (part: string) => part.length
  t.deepEqual(wrap('one two three', 8, width), ['one two', 'three'])
  t.deepEqual(wrap('abcdefghij', 4, width), ['abcd', 'efgh', 'ij'])
  t.deepEqual(wrap('a\nb', 8, width), ['a', 'b'])
  t.is(
    lacking((codePoint) => codePoint < 128, 'a\u200db\u00e9'),
    0xe9,
  )
})
