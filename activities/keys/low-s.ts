interface Curve {
  /** Bytes of a number. */
  size: number
  order: Buffer
  /** The largest s that is the lower one: half of the order. */
  half: Buffer
}

const curve = (size: number, order: string, half: string): Curve => ({
  size,
  order: Buffer.from(order, 'hex'),
  half: Buffer.from(half, 'hex'),
})

/** SEC 2, sections 2.4.2 and 2.5.1. */
const CURVES = {
  p256: curve(
    32,
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    '7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8',
  ),
  p384: curve(
    48,
    'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
    '7fffffffffffffffffffffffffffffffffffffffffffffffe3b1a6c0fa1b96efac0d06d9245853bd76760cb5666294b9',
  ),
} as const

export type EcdsaKeyType = keyof typeof CURVES

export const isEcdsa = (keyType: string): keyType is EcdsaKeyType => Object.hasOwn(CURVES, keyType)

/**
 * Returns the signature with the lower of the two values of s that verify, so that nobody can make a second valid
 * signature with the other (D-161). `signature` is r‖s: 64 bytes of P-256, 96 of P-384.
 */
export function withLowS(signature: Uint8Array, keyType: EcdsaKeyType): Uint8Array {
  const { size, order, half } = CURVES[keyType]
  const s = signature.subarray(size)
  if (Buffer.compare(s, half) <= 0) return signature
  const low = Uint8Array.from(signature)
  let borrow = 0
  for (let place = size - 1; place >= 0; place--) {
    const difference = (order[place] ?? 0) - (s[place] ?? 0) - borrow
    borrow = difference < 0 ? 1 : 0
    low[size + place] = difference & 0xff
  }
  return low
}

/** Copies the integer of DER whose length stands at `at` to `size` bytes from `to`, and returns where it ends. */
function copyInteger(
  der: Uint8Array,
  at: number,
  into: Uint8Array,
  { to, size }: { to: number; size: number },
): number {
  const end = at + 1 + (der[at] ?? 0)
  const digits = der.subarray(Math.max(at + 1, end - size), end) // without the zero byte before a high bit
  into.set(digits, to + size - digits.length)
  return end
}

/**
 * Returns r‖s with the lower s of what OpenSSL signs: a SEQUENCE of two INTEGERs (SEC 1, C.5), together below 128 bytes
 * for both curves. OpenSSL makes DER in half of the time of r‖s.
 */
export function compactWithLowS(der: Uint8Array, keyType: EcdsaKeyType): Uint8Array {
  const { size } = CURVES[keyType]
  const signature = new Uint8Array(2 * size)
  const end = copyInteger(der, 3, signature, { to: 0, size })
  copyInteger(der, end + 1, signature, { to: size, size })
  return withLowS(signature, keyType)
}
