/** The order of P-256 (SEC 2, section 2.4.2), and the largest s that is the lower one: half of it. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const HALF = Buffer.from('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8', 'hex')
const SIZE = 32

/**
 * Returns the signature with the lower of the two values of s that verify, so that nobody can make a second valid
 * signature with the other (D-161). `signature` is r‖s of P-256, 64 bytes.
 */
export function withLowS(signature: Uint8Array): Uint8Array {
  const s = signature.subarray(SIZE)
  if (Buffer.compare(s, HALF) <= 0) return signature
  const low = Uint8Array.from(signature)
  let borrow = 0
  for (let place = SIZE - 1; place >= 0; place--) {
    const difference = (ORDER[place] ?? 0) - (s[place] ?? 0) - borrow
    borrow = difference < 0 ? 1 : 0
    low[SIZE + place] = difference & 0xff
  }
  return low
}

/** Copies the integer of DER whose length stands at `at` to 32 bytes from `to`, and returns where it ends. */
function copyInteger(der: Uint8Array, at: number, into: Uint8Array, to: number): number {
  const end = at + 1 + (der[at] ?? 0)
  const digits = der.subarray(Math.max(at + 1, end - SIZE), end) // without the zero byte before a high bit
  into.set(digits, to + SIZE - digits.length)
  return end
}

/**
 * Returns r‖s with the lower s of what OpenSSL signs with P-256: a SEQUENCE of two INTEGERs (SEC 1, C.5), each below 128
 * bytes. OpenSSL makes DER in half of the time of r‖s.
 */
export function compactWithLowS(der: Uint8Array): Uint8Array {
  const signature = new Uint8Array(2 * SIZE)
  const end = copyInteger(der, 3, signature, 0)
  copyInteger(der, end + 1, signature, SIZE)
  return withLowS(signature)
}
