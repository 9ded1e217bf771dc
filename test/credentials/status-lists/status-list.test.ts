import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { Refusal } from '../../../protocol/errors.ts'
import {
  decodeList,
  decodeListAside,
  encodeList,
  getBit,
  MINIMUM_ENTRIES,
  permute,
  readStatus,
  setBits,
} from '../../../protocol/status-list/index.ts'
import { vectorJson, vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'
import { codeOf } from '../../support/parts/keys.ts'
import { processorMs } from '../../support/parts/processor-time.ts'

const refused = (work: () => unknown) => codeOf((async () => work())())

interface EncodedLists {
  length: number
  RevocationList2020: { empty: string; bit50000set: string }
  BitstringStatusList: { empty: string; bit50000set: string }
}

withVectors('the encoded lists of both reference implementations decode to their bits', (t) => {
  const lists = vectorJson<EncodedLists>('status-lists/encoded-lists.json')
  for (const kind of ['RevocationList2020', 'BitstringStatusList'] as const) {
    const rules = { minimumEntries: lists.length }
    const empty = decodeList(lists[kind].empty, rules)
    t.is(empty.length * 8, lists.length)
    t.true(empty.every((byte) => byte === 0))
    const one = decodeList(lists[kind].bit50000set, rules)
    const set = Array.from({ length: lists.length }, (_, index) => index).filter((index) => getBit(one, index))
    t.deepEqual(set, [50_000])
  }
})

withVectors('the list of the peer’s API example decodes, and has the least number of entries', (t) => {
  const text = vectorText('peer-mattr/api-examples.json')
  const encoded = /"encodedList": "([^"]+)"/.exec(text)?.[1] ?? ''
  const bits = decodeList(encoded)
  t.is(bits.length * 8, MINIMUM_ENTRIES)
  t.true(bits.every((byte) => byte === 0))
})

withVectors('a list shorter than the least number of entries is refused (Bitstring Status List, 3.2)', async (t) => {
  const lists = vectorJson<EncodedLists>('status-lists/encoded-lists.json')
  t.is(await refused(() => decodeList(lists.BitstringStatusList.empty)), 'status_list.too_short')
})

test('what is encoded decodes to the same bits, in any of the spellings found in the wild', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(MINIMUM_ENTRIES - 1), { maxLength: 50 }), (indexes) => {
      const bits = setBits(MINIMUM_ENTRIES, indexes)
      const revocation = encodeList('RevocationList2020', bits)
      const bitstring = encodeList('BitstringStatusList', bits)
      const packed = Buffer.from(revocation, 'base64url')
      const spellings = [revocation, bitstring, packed.toString('base64'), `u${packed.toString('base64')}`]
      return (
        bitstring === `u${revocation}` &&
        spellings.every((text) => Buffer.from(decodeList(text)).equals(bits)) &&
        indexes.every((index) => getBit(bits, index)) &&
        bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0) === indexes.length
      )
    }),
    { numRuns: 50 },
  )
  t.pass()
})

test('index 0 is the left-most bit (Bitstring Status List, 2.2)', (t) => {
  t.is(setBits(MINIMUM_ENTRIES, [0])[0], 0b1000_0000)
  t.is(setBits(MINIMUM_ENTRIES, [7])[0], 0b0000_0001)
  t.is(setBits(MINIMUM_ENTRIES, [8, 10])[1], 0b1010_0000)
  t.is(setBits(MINIMUM_ENTRIES, [MINIMUM_ENTRIES - 1]).at(-1), 1)
})

test('the same bits encode to the same text: no time, no system in it (RFC 1952)', (t) => {
  const bits = setBits(MINIMUM_ENTRIES, [1, 2, 3])
  t.is(encodeList('RevocationList2020', bits), encodeList('RevocationList2020', bits.slice()))
  const head = Buffer.from(encodeList('RevocationList2020', bits), 'base64url').subarray(0, 10)
  t.is(head.toString('hex').replace(/^(1f8b08)00(00000000)..(03)$/, '$1 $2 $3'), '1f8b08 00000000 03')
})

test('entries of several bits are read left to right (Bitstring Status List, statusSize)', async (t) => {
  const bits = setBits(MINIMUM_ENTRIES, [2, 7, 8])
  t.deepEqual(
    [0, 1, 2, 3].map((index) => readStatus(bits, index, 2)),
    [0, 2, 0, 1],
  )
  t.is(readStatus(bits, 0, 8), 0b0010_0001)
  t.is(readStatus(bits, 2, 3), 0b011)
  t.is(await refused(() => readStatus(bits, MINIMUM_ENTRIES / 2, 2)), 'status_list.index_out_of_range')
})

test('an index outside of the list is refused', async (t) => {
  const bits = setBits(MINIMUM_ENTRIES, [])
  for (const index of [-1, 0.5, MINIMUM_ENTRIES, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.is(await refused(() => getBit(bits, index)), 'status_list.index_out_of_range', `${index}`)
    t.is(await refused(() => setBits(MINIMUM_ENTRIES, [index])), 'status_list.index_out_of_range', `${index}`)
  }
  for (const size of [0, 8, MINIMUM_ENTRIES - 8, MINIMUM_ENTRIES + 1, 2 ** 40]) {
    t.is(await refused(() => setBits(size, [])), 'status_list.size', `${size}`)
  }
})

test('beside the event loop a list is unpacked by the same rules, and nothing waits for it', async (t) => {
  const large = encodeList('BitstringStatusList', setBits(134_217_728, [7]))
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const [bits] = await Promise.all([decodeListAside(large), decodeListAside(large), decodeListAside(large)])
  clearInterval(counting)
  t.true(turns > 3, `${turns} turns of the event loop`)
  t.true(bits && getBit(bits, 7))
  const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024)).toString('base64url')
  await t.throwsAsync(decodeListAside(`u${bomb}`), { code: 'status_list.too_large' })
  await t.throwsAsync(decodeListAside('uH4sIAAAA'), { code: 'status_list.malformed' })
  await t.throwsAsync(decodeListAside('x'), { code: 'status_list.malformed' })
  const short = gzipSync(Buffer.alloc(100)).toString('base64url')
  await t.throwsAsync(decodeListAside(`u${short}`), { code: 'status_list.too_short' })
})

test('a gzip bomb is stopped, and text that is no list is refused', async (t) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64url')
  const work = () => t.throws(() => decodeList(`u${bomb}`), { instanceOf: Refusal, code: 'status_list.too_large' })
  t.true(processorMs(work) < 500)
  const good = encodeList('RevocationList2020', setBits(MINIMUM_ENTRIES, [5]))
  for (const text of ['', 'u', 'z', 'uu', 'AAAA', '!!!!', `u u${good}`, `${good}\n`, good.slice(0, -8), `z${good}`]) {
    t.is(await refused(() => decodeList(text)), 'status_list.malformed', text.slice(0, 10))
  }
  const edited = Buffer.from(good, 'base64url')
  edited[edited.length - 6] = (edited[edited.length - 6] ?? 0) ^ 1 // the checksum
  t.is(await refused(() => decodeList(edited.toString('base64url'))), 'status_list.malformed')
})

test('entry numbers become positions one to one, for a whole list', (t) => {
  const key = randomBytes(32)
  const seen = new Uint8Array(MINIMUM_ENTRIES)
  for (let counter = 0; counter < MINIMUM_ENTRIES; counter += 1) {
    const position = permute(counter, MINIMUM_ENTRIES, key)
    seen[position] = (seen[position] ?? 0) + 1
  }
  t.true(seen.every((times) => times === 1))
})

test('entry numbers become positions one to one, for a list of any size', (t) => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 600 }))
  fc.assert(
    fc.property(sizes, fc.uint8Array({ minLength: 32, maxLength: 32 }), (size, key) => {
      const positions = Array.from({ length: size }, (_, counter) => permute(counter, size, key))
      return new Set(positions).size === size && positions.every((at) => Number.isInteger(at) && at >= 0 && at < size)
    }),
    { numRuns: 60 },
  )
  t.pass()
})

test('the first positions look drawn at random: spread evenly, neighbours far apart, other for each key', (t) => {
  const key = Buffer.from('00112233445566778899aabbccddeeff'.repeat(2), 'hex')
  const drawn = Array.from({ length: 8_192 }, (_, counter) => permute(counter, MINIMUM_ENTRIES, key))
  const buckets = new Array<number>(64).fill(0)
  for (const at of drawn) {
    const bucket = Math.floor((at * 64) / MINIMUM_ENTRIES)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const expected = drawn.length / 64
  const chiSquare = buckets.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  t.true(chiSquare < 103.4, `chi-square ${chiSquare}: 63 degrees of freedom stay below 103.4 in 999 of 1,000 cases`)
  const rises = drawn.filter((at, n) => n > 0 && at > (drawn[n - 1] ?? 0)).length
  t.true(Math.abs(rises - drawn.length / 2) < 200, `${rises} rises`)
  const near = drawn.filter((at, n) => n > 0 && Math.abs(at - (drawn[n - 1] ?? 0)) < 128).length
  t.true(near < 50, `${near} neighbours within 128; 16 are to be expected`)
  const other = Buffer.from(key)
  other[0] = 1
  const same = drawn.filter((at, counter) => permute(counter, MINIMUM_ENTRIES, other) === at).length
  t.true(same < 10, `${same} positions alike under another key`)
})

test('a list has no entry more than its size', async (t) => {
  const key = randomBytes(32)
  t.is(await refused(() => permute(MINIMUM_ENTRIES, MINIMUM_ENTRIES, key)), 'status_list.full')
  for (const counter of [-1, 0.5, Number.NaN]) t.throws(() => permute(counter, 10, key), { instanceOf: RangeError })
  for (const size of [0, -1, 2 ** 32]) t.throws(() => permute(0, size, key), { instanceOf: RangeError })
  t.throws(() => permute(0, 10, randomBytes(16)))
})
