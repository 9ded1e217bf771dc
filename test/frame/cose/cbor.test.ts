import test from 'ava'
import fc from 'fast-check'
import { type Cbor, decodeCbor, encodeCbor, isCborMap, isTag, Tag } from '../../../protocol/cose/cbor.ts'
import { Refusal } from '../../../protocol/errors.ts'

const BOUNDS = { code: 'test.cbor_malformed', maxBytes: 20_000 }
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const read = (hex: string) => decodeCbor(bytesOf(hex), BOUNDS)

const REFUSED: Array<[what: string, hex: string]> = [
  ['no item', ''],
  ['a cut-off array', '8201'],
  ['a cut-off tag', 'd8'],
  ['an array of 2^32 - 1 items without one', '9affffffff'],
  ['an array of 2^64 - 1 items without one', '9bffffffffffffffff'],
  ['a map of 2^32 - 1 entries without one', 'baffffffff'],
  ['a byte string of 2^32 bytes without one', '5b0000000100000000'],
  ['a text of 2^63 bytes without one', '7b8000000000000000'],
  ['a byte string of indefinite length without its end', '5f4101'],
  ['a text of indefinite length without its end', '7f6161'],
  ['an array of indefinite length without its end', '9f01'],
  ['a byte string in a text of indefinite length', '7f4161ff'],
  ['an item of indefinite length in one of indefinite length', '5f5f4101ffff'],
  ['a break outside of anything', 'ff'],
  ['a second item', '0101'],
  ['a reserved length', '1c'],
  ['a simple value in two bytes that has one', 'f818'],
  ['a text that is not UTF-8', '62c328'],
  ['a key twice', 'a201010102'],
  ['a key twice, in one byte and in two', 'a2010118010a'],
  ['a key twice, as an integer and as a float', 'a20101f93c0002'],
  ['a text as key twice, once in parts', 'a26161017f6161ff02'],
  ['an array as key', 'a18001'],
  ['a byte string as key', 'a1410101'],
  ['half as key', 'a1f9380001'],
  ['5,000 arrays within each other', `${'81'.repeat(5_000)}01`],
  ['5,000 maps within each other', `${'a101'.repeat(5_000)}01`],
  ['5,000 tags within each other', `${'c1'.repeat(5_000)}01`],
  ['5,000 starts of byte strings', '5f'.repeat(5_000)],
]

for (const [what, hex] of REFUSED)
  test(`CBOR with ${what} is refused (RFC 8949, sections 3 and 5.3.1)`, (t) => {
    const error = t.throws(() => read(hex), { instanceOf: Refusal })
    t.is(error?.code, 'test.cbor_malformed')
  })

test('CBOR above the limit of the caller is refused before it is read', (t) => {
  t.deepEqual(decodeCbor(bytesOf('43010203'), { ...BOUNDS, maxBytes: 4 }), bytesOf('010203'))
  t.is(
    t.throws(() => decodeCbor(bytesOf('4401020304'), { ...BOUNDS, maxBytes: 4 }), { instanceOf: Refusal })?.code,
    'test.cbor_malformed',
  )
})

test('64 maps and 32 arrays within each other are read, and one more is not', (t) => {
  for (const [start, most] of [
    ['a101', 64],
    ['81', 32],
  ] as const) {
    t.notThrows(() => read(`${start.repeat(most)}01`))
    t.throws(() => read(`${start.repeat(most + 1)}01`), { instanceOf: Refusal })
  }
})

test('a tag keeps its number and does nothing: no date, no regular expression, no big number', (t) => {
  for (const hex of ['c11a514b67b0', 'd8236161', 'c249010000000000000000', 'd84043000000']) {
    const item = read(hex)
    t.true(isTag(item), hex)
    t.deepEqual(encodeCbor(item), bytesOf(hex))
  }
})

test('names that objects inherit are keys like others', (t) => {
  const map = read('a2695f5f70726f746f5f5f016b636f6e7374727563746f7202')
  t.true(isCborMap(map))
  t.deepEqual(isCborMap(map) ? [...map] : [], [
    ['__proto__', 1],
    ['constructor', 2],
  ])
})

test('what is encoded is read as the same item, and lengths are the shortest (RFC 8949, section 4.1)', (t) => {
  const item: Cbor = new Map<string | number, Cbor>([
    [1, 'did:web:issuer.example'],
    [-65537, new Map([[2, 2 ** 40]])],
    ['name', [true, null, 1.5, new Uint8Array([1])]],
    [7, new Tag(64, new Uint8Array(2))],
  ])
  t.deepEqual(decodeCbor(encodeCbor(item), BOUNDS), item)
  t.is(
    Buffer.from(encodeCbor([0, 23, 24, 255, 256, -1, -257])).toString('hex'),
    '870017181818ff190100203901 00'.replace(' ', ''),
  )
})

test('byte strings of a Buffer are byte strings, read and written', (t) => {
  const hex = 'a2014401020304186382420506410700'.slice(0, -2)
  const item = decodeCbor(Buffer.from(hex, 'hex'), BOUNDS)
  t.deepEqual(item, read(hex))
  t.deepEqual(Buffer.from(encodeCbor(item)).toString('hex'), hex)
  const bytes = Buffer.from('x01020304y').subarray(1, 9)
  t.deepEqual(encodeCbor([bytes, new Map([[1, bytes]])]), encodeCbor([new Uint8Array(bytes), new Map([[1, new Uint8Array(bytes)]])])) // biome-ignore format: one line
})

test('any bytes are read or refused, and nothing else happens', (t) => {
  const refusedOrRead = (bytes: Uint8Array) => {
    try {
      decodeCbor(bytes, BOUNDS)
      return true
    } catch (error) {
      return error instanceof Refusal && error.code === 'test.cbor_malformed'
    }
  }
  t.notThrows(() => fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refusedOrRead), { numRuns: 20_000 }))
  const sample = encodeCbor(new Map<number, Cbor>([[1, ['a', new Uint8Array(30), new Map([['b', -3]])]]]))
  const changed = fc.tuple(fc.nat(sample.length - 1), fc.integer({ min: 0, max: 255 }))
  t.notThrows(() =>
    fc.assert(
      fc.property(changed, ([at, value]) => refusedOrRead(sample.map((byte, index) => (index === at ? value : byte)))),
      { numRuns: 5_000 },
    ),
  )
})
