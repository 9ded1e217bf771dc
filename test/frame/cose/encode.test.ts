import test from 'ava'
import { encode, Tag } from 'cbor2'
import fc from 'fast-check'
import { type Cbor, encodeCbor } from '../../../protocol/cose/cbor.ts'

const hex = (value: Cbor) => Buffer.from(encodeCbor(value)).toString('hex')

/** Numbers at the borders of their encodings. */
const BORDERS = [
  ...[0, -0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53],
  ...[-1, -24, -25, -256, -257, -65_536, -65_537, -(2 ** 32), -(2 ** 32) - 1, -(2 ** 53)],
  ...[0.5, 65_504.5, 2 ** -24, 2 ** -25, 2 ** -149, 2 ** -150, 1.1, 1e300, NaN, Infinity, -Infinity],
]

const { item } = fc.letrec<{ item: Cbor }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Cbor[]>(null, undefined, true, false, ...BORDERS),
    fc.double(),
    fc.float(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n - 1n }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', 'é') }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
    fc.array(tie('item'), { maxLength: 30 }),
    fc
      .array(fc.tuple(fc.oneof(fc.integer(), fc.string()), tie('item')), { maxLength: 30 })
      .map((each) => new Map(each)),
    fc.tuple(fc.nat(2 ** 31), tie('item')).map(([tag, contents]) => new Tag(tag, contents)),
  ),
}))

test('items are written byte for byte as cbor2 writes them', (t) => {
  const asTheLibrary = (value: Cbor) => Buffer.from(encode(value)).equals(encodeCbor(value))
  t.notThrows(() => fc.assert(fc.property(item, asTheLibrary), { numRuns: 5_000 }))
})

test('lengths and numbers are the shortest (RFC 8949, section 4.1 and appendix A)', (t) => {
  for (const [value, expected] of [
    [1_000_000_000_000, '1b000000e8d4a51000'],
    [18_446_744_073_709_551_615n, '1bffffffffffffffff'],
    [-18_446_744_073_709_551_616n, '3bffffffffffffffff'],
    [1.5, 'f93e00'],
    [100_000.5, 'fa47c35040'],
    [-4.1, 'fbc010666666666666'],
    ['\u6c34', '63e6b0b4'],
    [new Tag(32, 'http://www.example.com'), 'd82076687474703a2f2f7777772e6578616d706c652e636f6d'],
    [new Map<string, Cbor>([['a', 1], ['b', [2, 3]]]), 'a26161016162820203'], // biome-ignore format: as the appendix has it
  ] satisfies [Cbor, string][])
    t.is(hex(value), expected)
  for (const [
    length,
    head,
  ] of [[0, '40'], [23, '57'], [24, '5818'], [255, '58ff'], [256, '590100'], [65_535, '59ffff'], [65_536, '5a00010000']] as const) // biome-ignore format: a table
    t.is(hex(new Uint8Array(length)), head + '00'.repeat(length))
})

test('an item larger than the buffer that stays is written whole, and the next one is as before', (t) => {
  const large = new Uint8Array(300_000).fill(7)
  const value = [large, 'text', [large, new Map([[1, 'é'.repeat(100_000)]])]]
  t.true(Buffer.from(encode(value)).equals(encodeCbor(value)))
  t.is(hex(['a', 1]), '82616101')
})

test('a value without a form in CBOR is refused, and the next one is as before', (t) => {
  t.throws(() => encodeCbor(['begun', (() => 1) as never]), { instanceOf: TypeError })
  t.throws(() => encodeCbor(2n ** 64n), { instanceOf: RangeError })
  t.is(hex(1), '01')
})
