import test from 'ava'
import fc from 'fast-check'
import { Refusal } from '../../../protocol/errors.ts'
import { parseForeignJson } from '../../../protocol/json.depth.ts'
import { repeatedName } from '../../../protocol/json.members.ts'
import { isUsableText } from '../../../protocol/json.ts'

/** The code that JSON of strangers is refused with. */
function refusal(text: string): string {
  try {
    parseForeignJson(Buffer.from(text), { code: 'x.bad' })
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('an object that JavaScript cannot convert to text is read by nobody, whatever its depth', (t) => {
  const read = (text: string) => parseForeignJson(Buffer.from(text), { code: 'test.malformed' })
  const cases = ['{"toString":1}', '{"a":[{"toString":null}]}', '[[[{"\\u0074oString":"text"}]]]']
  for (const text of cases) t.throws(() => read(text), { message: 'The document has a member toString.' }, text)
  for (const text of ['{"a":"toString"}', '{"valueOf":1,"constructor":{}}', '["\\u0074oString"]', 'null'])
    t.notThrows(() => String(read(text)), text)
})

test('JSON of strangers has every name once in its object, however it is written (RFC 8259, section 4)', (t) => {
  for (const text of [
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"a":"\\"a\\":","b":"\\\\"}',
    '["a","a",{"a":"a"}]',
    '"a"',
    '{"a":["b",{"b":"b,b"}],"b":{}}',
  ])
    t.is(refusal(text), 'fine', text)
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"b":[{"c":{"a":1,"d":["a"],"a":1}}]}',
    '{"":1 , "" : 2}',
    '{"\\\\":1,"\\\\":2}',
  ])
    t.is(refusal(text), 'x.bad', text)
})

test('the message of a repeated name is text that can be stored', (t) => {
  for (const name of ['\0a', '\ud800', `${'a'.repeat(99)}😀`]) {
    const text = `{${JSON.stringify(name)}:1,${JSON.stringify(name)}:2}`
    const error = t.throws(() => parseForeignJson(Buffer.from(text), { code: 'x.bad' }), { instanceOf: Refusal })
    t.true(isUsableText(error.message), JSON.stringify(name))
  }
})

test('a name stands twice in JSON of strangers exactly where the text tells of more members than are read (property)', (t) => {
  const name = fc.constantFrom('a', 'b', '\\', '"', '\u0061', ',', '{')
  const { value } = fc.letrec<{ value: { text: string; members: number; repeats: boolean } }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('1', '"a"', '"\\\\"', '[]').map((text) => ({ text, members: 0, repeats: false })),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => ({
        text: `{${members.map(([key, { text }]) => `${JSON.stringify(key)}:${text}`).join(',')}}`,
        members: members.length,
        repeats:
          new Set(members.map(([key]) => key)).size < members.length || members.some(([, { repeats }]) => repeats),
      })),
      fc.array(tie('value'), { maxLength: 3 }).map((items) => ({
        text: `[${items.map(({ text }) => text).join(', ')}]`,
        members: 0,
        repeats: items.some(({ repeats }) => repeats),
      })),
    ),
  }))
  const told = fc.property(value, ({ text, repeats }) => (repeatedName(text) !== undefined) === repeats)
  t.notThrows(() => fc.assert(told, { numRuns: 3_000 }))
})
