import test from 'ava'
import { encode } from 'cbor2'
import { fromBase32, plain, read } from '../../../console/pages/credentials/decoded/cbor.ts'
import { readCwt, readMdoc } from '../../../console/pages/credentials/decoded/credentials.ts'
import { toText } from '../../../protocol/compact-credentials/text.ts'

const bytes = (...each: number[]) => Uint8Array.from(each)
const encoded = (value: unknown) => Buffer.from(encode(value)).toString('base64url')

test('bytes that are no CBOR, or hide something, are refused and never half read (RFC 8949)', (t) => {
  const hostile = {
    'nothing at all': bytes(),
    'the half of an array': bytes(0x82, 0x01),
    'a text of 2^63 characters': bytes(0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    'an array of 2^32 items': bytes(0x9a, 0xff, 0xff, 0xff, 0xff),
    '10,000 arrays in each other': new Uint8Array(10_000).fill(0x81),
    'a repeated key': bytes(0xa2, 0x01, 0x01, 0x01, 0x02),
    'more than a page reads': new Uint8Array(2_000_001),
  }
  for (const [name, each] of Object.entries(hostile)) t.throws(() => read(each), undefined, name)
})

test('a name from outside is a member like any other: __proto__ changes no object', (t) => {
  const shown = plain(new Map<unknown, unknown>([['__proto__', new Map([['polluted', 'yes']])]]))
  t.deepEqual(Object.keys(shown as object), ['__proto__'])
  t.is(Object.getPrototypeOf(shown), Object.prototype)
  t.is(({} as Record<string, unknown>).polluted, undefined)
})

test('what is no credential says so; one without parts shows them as empty', (t) => {
  for (const text of ['', 'CSC:/1/', 'CSC:/1/a1', 'CSC:/1/AE', '!']) t.throws(() => readCwt(text), undefined, text)
  for (const text of ['', '!', encoded(1), encoded(new Map()), encoded(new Map([['issuerAuth', []]]))])
    t.throws(() => readMdoc(text), undefined, text)
  const auth = [bytes(0xa0), new Map(), bytes(0xd8, 0x18, 0x41, 0xa0), bytes(1)]
  const mdoc = readMdoc(
    encoded(
      new Map<string, unknown>([
        ['issuerAuth', auth],
        ['nameSpaces', 'none'],
      ]),
    ),
  )
  t.like(mdoc, { docType: '', elements: [], hasDeviceKey: false, certificate: undefined })
})

test('base32 is read as it is written (RFC 4648)', (t) => {
  for (const length of [1, 2, 3, 4, 5, 64]) {
    const some = Uint8Array.from({ length }, (_, at) => (at * 37) % 256)
    t.deepEqual(fromBase32(toText('', some)), some)
  }
})
