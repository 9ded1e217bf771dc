import { createHash, randomBytes } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import test from 'ava'
import { ecdsaInDer } from '../../protocol/data-integrity/keys.ts'

const CURVES = { p256, p384, p521 }
const BYTES = { p256: 32, p384: 48, p521: 66 }

/** The bytes of a number of a curve. */
const digits = (value: bigint, size: number) => Buffer.from(value.toString(16).padStart(2 * size, '0'), 'hex')

for (const name of ['p256', 'p384', 'p521'] as const) {
  const curve = CURVES[name]
  const order = curve.Point.Fn.ORDER
  const half = BYTES[name]
  const inDer = (r: bigint, s: bigint) => ecdsaInDer(name, Buffer.concat([digits(r, half), digits(s, half)]))
  const byNoble = (r: bigint, s: bigint) => new curve.Signature(r, s).toBytes('der')

  test(`${name}: r and s are in DER as another implementation writes them (RFC 3279, section 2.2.3)`, (t) => {
    const numberOf = (seed: string, bytes: number) => {
      const hex = createHash('sha512')
        .update(seed)
        .digest('hex')
        .slice(0, 2 * bytes)
      return (BigInt(`0x${hex}`) % (order - 1n)) + 1n
    }
    const edges = [1n, 0x7fn, 0x80n, 0xffn, 0x100n, order >> 1n, (order >> 1n) + 1n, order - 1n]
    for (const r of edges)
      for (const s of edges) t.deepEqual(Buffer.from(inDer(r, s) ?? []), Buffer.from(byNoble(r, s)))
    for (let size = 1; size <= half; size++)
      for (let nth = 0; nth < 10; nth++) {
        const [r, s] = [numberOf(`r ${size} ${nth}`, size), numberOf(`s ${size} ${nth}`, half + 1 - size)]
        t.deepEqual(Buffer.from(inDer(r, s) ?? []), Buffer.from(byNoble(r, s)))
      }
  })

  test(`${name}: what is no signature has no DER: zero, the order and more, another length (FIPS 186-5, section 6.4.2)`, (t) => {
    const most = (1n << BigInt(8 * half)) - 1n
    for (const wrong of [0n, order, order + 1n, most]) {
      t.is(inDer(wrong, 1n), undefined)
      t.is(inDer(1n, wrong), undefined)
    }
    for (const length of [0, 1, 2 * half - 1, 2 * half + 1, name === 'p256' ? 96 : 64])
      t.is(
        ecdsaInDer(
          name,
          new Uint8Array(randomBytes(length)).map((byte) => byte | 1),
        ),
        undefined,
      )
  })
}
