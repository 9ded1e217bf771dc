import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import { MAX_VALUES, parseJson } from '../../../protocol/json.strict.ts'

const codeOf = (read: () => unknown): string => {
  try {
    read()
    return 'read'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const list = (length: number, of: (place: number) => string) => Array.from({ length }, (_, place) => of(place)).join()

const TEXTS: [what: string, text: string, expected: string][] = [
  ['whole numbers, texts and literals', '{"a":[1,-2,true,false,null,"x"],"b":{"a":0}}', 'read'],
  ['colons and brackets in texts', '{"a:b":"c:{[\\":,\\\\","d":"\\\\\\""}', 'read'],
  ['a text that ends in a backslash', '{"a":"\\\\","b":":"}', 'read'],
  ['one name in two objects', '[{"a":1},{"a":1}]', 'read'],
  ['numbers with a fraction or an exponent that a double holds', '[0.5,1e2,1E2,2.50]', 'read'],
  ['an empty text as a name', '{"":1}', 'read'],
  ['a repeated name', '{"a":1,"a":1}', 'request.duplicate_member'],
  ['a name repeated in another writing', '{"a":1,"\\u0061":2}', 'request.duplicate_member'],
  ['a repeated name deep within', '[[{"b":{"a":1,"c":2,"a":3}}]]', 'request.duplicate_member'],
  ['a repeated name whose first value has members', '{"a":{"b":1},"a":{"b":1}}', 'request.duplicate_member'],
  ['a repeated name beside texts with colons', '{"a":"::","a":"\\":"}', 'request.duplicate_member'],
  ['__proto__', '{"__proto__":{"a":1}}', 'request.duplicate_member'],
  ['toString', '{"a":{"toString":1}}', 'request.duplicate_member'],
  ['a number above 2^53', '[9007199254740993]', 'request.number_out_of_range'],
  ['a number whose fraction no double holds', '[1.00000000000000000001]', 'request.number_out_of_range'],
  ['a number with a large exponent', '[1e400]', 'request.number_out_of_range'],
  ['U+0000 in a text', '["a\\u0000"]', 'request.unusable_text'],
  ['an unpaired surrogate in a name', '{"\\ud800":1}', 'request.unusable_text'],
  ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, 'read'],
  ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'request.too_deep'],
  ['1,000 members', `{${list(1_000, (place) => `"${place}":0`)}}`, 'read'],
  ['1,001 members', `{${list(1_001, (place) => `"${place}":0`)}}`, 'request.too_many_members'],
  ['20,000 values', `[${list(MAX_VALUES - 1, () => '0')}]`, 'read'],
  ['20,001 values', `[${list(MAX_VALUES, () => '0')}]`, 'request.too_many_members'],
  ['no JSON', '{"a":1,}', 'request.malformed_json'],
  ['an open text', '{"a":"\\"', 'request.malformed_json'],
]

for (const [what, text, expected] of TEXTS)
  test(`a body with ${what}: ${expected}`, (t) => {
    t.is(
      codeOf(() => parseJson(text)),
      expected,
    )
    if (expected === 'read') t.deepEqual(parseJson(text), JSON.parse(text))
  })

test('texts of one request share the number of values, whichever way they are read', (t) => {
  const values = { left: 7 }
  parseJson('[1,2]', values)
  t.is(values.left, 4)
  parseJson('[0.5]', values)
  t.is(values.left, 2)
  t.is(
    codeOf(() => parseJson('[1,2]', values)),
    'request.too_many_members',
  )
})

/** Numbers that repeat for a seed (a linear congruential generator). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('of 5,000 random texts, exactly those with a repeated name are refused', (t) => {
  const upTo = numbersFrom(26)
  const NAMES = ['"a"', '"b:"', '"c\\""', '"\\\\"', '"{"']
  let repeats = false
  const textOf = (depth: number): string => {
    const kind = depth > 3 ? upTo(2) : upTo(5)
    if (kind === 0) return String(upTo(1_000) - 500)
    if (kind === 1) return NAMES[upTo(NAMES.length)] ?? '""'
    const parts = Array.from({ length: upTo(4) }, () => textOf(depth + 1))
    if (kind === 2) return `[${parts.join(' , ')}]`
    const names = parts.map(() => NAMES[upTo(NAMES.length)] ?? '""')
    if (new Set(names).size < names.length) repeats = true
    return `{${parts.map((part, place) => `${names[place]} : ${part}`).join()}}`
  }
  const seen = { read: 0, refused: 0 }
  for (let round = 0; round < 5_000; round += 1) {
    repeats = false
    const text = textOf(0)
    const code = codeOf(() => parseJson(text))
    t.is(code, repeats ? 'request.duplicate_member' : 'read', text)
    seen[repeats ? 'refused' : 'read'] += 1
  }
  t.true(seen.read > 1_000 && seen.refused > 300, JSON.stringify(seen))
})
