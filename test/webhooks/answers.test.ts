import test from 'ava'
import { keptAnswer } from '../../protocol/webhooks/answers.ts'

const read = (text: string | Uint8Array, type?: string, more: Record<string, string> = {}) =>
  keptAnswer({ ...(type !== undefined && { 'content-type': type }), ...more }, Buffer.from(text))

test('of an answer the first 1,024 characters are kept, whole ones, and whether there was more', (t) => {
  for (const character of ['a', 'é', '€', '😀']) {
    t.deepEqual(read(character.repeat(1_024)), { text: character.repeat(1_024) })
    t.deepEqual(read(character.repeat(1_025)), { text: character.repeat(1_024), isCut: true })
    t.deepEqual(read(character.repeat(20_000)), { text: character.repeat(1_024), isCut: true })
  }
  t.deepEqual(read('', 'text/plain'), { contentType: 'text/plain' })
  t.is(read('x', `text/${'y'.repeat(300)}`).contentType?.length, 255)
})

test('a body that is no text, or is encoded, is not kept', (t) => {
  for (const type of ['image/png', 'application/octet-stream', 'application/pdf', 'application/jsonx', ''])
    t.deepEqual(read('x', type), { contentType: type }, type)
  t.deepEqual(read('x', 'text/plain', { 'content-encoding': 'gzip' }), { contentType: 'text/plain' })
  for (const type of [
    'text/html',
    'TEXT/plain; charset=x',
    'application/json',
    'application/problem+json;v=1',
    'a/b+xml',
  ])
    t.deepEqual(read('x', type), { contentType: type, text: 'x' }, type)
})

test('what a terminal or a page would obey is replaced, and bytes that are no UTF-8 too', (t) => {
  t.is(read('a\r\nb\tc').text, 'a\nb\tc')
  for (const code of [0, 7, 8, 13, 27, 0x7f, 0x9b, 0x200e, 0x202e, 0x2028, 0x2066])
    t.is(read(`a${String.fromCodePoint(code)}b`).text, 'a\ufffdb', code.toString(16))
  t.is(read(Uint8Array.of(0x61, 0xff, 0x62)).text, 'a\ufffdb')
  t.is(read('x', 'text/\u001b[31m').contentType, 'text/\ufffd[31m')
  t.is(read('<script>').text, '<script>', 'a reader shows it as text')
})
