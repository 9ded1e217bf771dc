import { type Cbor, isTag } from './items.ts'

/** Major types (RFC 8949, section 3.1). */
const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const
/** Simple values, and heads of floating-point numbers (RFC 8949, section 3.3). */
const SIMPLE = { false: 0xf4, true: 0xf5, null: 0xf6, undefined: 0xf7, half: 0xf9, single: 0xfa, double: 0xfb } as const
const LONGEST_HEAD = 9
/** The largest argument of a head. */
const MOST = 2n ** 64n - 1n

/** Where items are written: one buffer that stays, and a larger one of its own for an item that does not fit. */
const room = Buffer.alloc(65_536)
const roomView = new DataView(room.buffer, room.byteOffset, room.length)
let bytes = room
let view = roomView
let at = 0

function reserve(size: number): void {
  if (at + size <= bytes.length) return
  const larger = Buffer.alloc(Math.max(at + size, 2 * bytes.length))
  larger.set(bytes.subarray(0, at))
  bytes = larger
  view = new DataView(larger.buffer, larger.byteOffset, larger.length)
}

/** A head with its argument in as few bytes as hold it (section 4.1), and room for the bytes after it. */
function writeHead(major: number, argument: number | bigint, after = 0): void {
  reserve(LONGEST_HEAD + after)
  const type = major << 5
  if (argument >= 0x1_0000_0000) {
    if (argument > MOST) throw new RangeError('an integer has more than 64 bits')
    bytes[at] = type | 27
    view.setBigUint64(at + 1, BigInt(argument))
    at += 9
    return
  }
  const short = Number(argument)
  if (short < 24) {
    bytes[at++] = type | short
  } else if (short < 0x100) {
    bytes[at] = type | 24
    bytes[at + 1] = short
    at += 2
  } else if (short < 0x1_0000) {
    bytes[at] = type | 25
    view.setUint16(at + 1, short)
    at += 3
  } else {
    bytes[at] = type | 26
    view.setUint32(at + 1, short)
    at += 5
  }
}

function writeSimple(value: number): void {
  reserve(1)
  bytes[at++] = value
}

const writeInteger = (value: number | bigint): void =>
  value < 0
    ? writeHead(MAJOR.negative, typeof value === 'bigint' ? -1n - value : -1 - value)
    : writeHead(MAJOR.unsigned, value)

/** An integer where it is one that is safe, else a floating-point number in as few bytes as hold it (section 4.1). */
function writeNumber(value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    writeInteger(value)
    return
  }
  reserve(LONGEST_HEAD)
  if (Object.is(Math.f16round(value), value)) {
    bytes[at] = SIMPLE.half
    view.setFloat16(at + 1, value)
    at += 3
  } else if (Object.is(Math.fround(value), value)) {
    bytes[at] = SIMPLE.single
    view.setFloat32(at + 1, value)
    at += 5
  } else {
    bytes[at] = SIMPLE.double
    view.setFloat64(at + 1, value)
    at += 9
  }
}

function writeText(value: string): void {
  const length = Buffer.byteLength(value)
  writeHead(MAJOR.text, length, length)
  at += bytes.write(value, at)
}

function writeBytes(value: Uint8Array): void {
  writeHead(MAJOR.bytes, value.length, value.length)
  bytes.set(value, at)
  at += value.length
}

function writeItem(value: Cbor): void {
  if (typeof value === 'string') writeText(value)
  else if (typeof value === 'number') writeNumber(value)
  else if (typeof value === 'boolean') writeSimple(value ? SIMPLE.true : SIMPLE.false)
  else if (value === null) writeSimple(SIMPLE.null)
  else if (value === undefined) writeSimple(SIMPLE.undefined)
  else if (typeof value === 'bigint') writeInteger(value)
  else if (value instanceof Uint8Array) writeBytes(value)
  else if (Array.isArray(value)) {
    writeHead(MAJOR.array, value.length)
    for (const item of value) writeItem(item)
  } else if (value instanceof Map) {
    writeHead(MAJOR.map, value.size)
    for (const [key, item] of value) {
      writeItem(key)
      writeItem(item)
    }
  } else if (isTag(value)) {
    writeHead(MAJOR.tag, Number(value.tag))
    writeItem(value.contents as Cbor)
  } else throw new TypeError('a value has no form in CBOR')
}

/**
 * Encodes with the shortest lengths and numbers (RFC 8949, section 4.1); keys of a Map keep their order. Integers have at
 * most 64 bits; -2^64 is the least. cbor2, which decodes, takes 20 times as long, longer than a signature (D-326).
 */
export function encodeCbor(value: Cbor): Uint8Array {
  at = 0
  try {
    writeItem(value)
    return new Uint8Array(bytes.subarray(0, at))
  } finally {
    bytes = room
    view = roomView
  }
}
