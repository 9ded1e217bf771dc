/** The order of P-256 (SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/**
 * Returns the signature with the lower of the two values of s that verify, so that nobody can make a second valid
 * signature with the other (D-161). `signature` is r‖s of P-256, 64 bytes.
 */
export function withLowS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`)
  if (s <= ORDER / 2n) return signature
  const low = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex')
  return Buffer.concat([signature.subarray(0, 32), low])
}
