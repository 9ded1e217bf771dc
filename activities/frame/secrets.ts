import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that nobody guesses: 256 random bits, as 43 characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * SHA-256 of a secret of `newSecret`, which is what rows keep: nobody finds 256 random bits from it, so that it needs no
 * key and no salt.
 */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Compares in a time that does not tell where both differ; values of different lengths differ. */
export function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A key of 256 bits for one purpose, from the master key (HKDF, RFC 5869). */
export const keyFor = (masterKey: Uint8Array, purpose: string, salt = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, salt, `countersign/${purpose}`, 32))

const DRAWN = 4096

/**
 * Random bytes for values that are small and many, such as salts. A draw costs the same for 16 bytes and for 4,096, so that one
 * serves some 25 credentials; each byte is handed out once (D-911).
 */
export function createSmallDraws(draw: (size: number) => Uint8Array = randomBytes): (size: number) => Uint8Array {
  let drawn: Uint8Array = new Uint8Array()
  let used = 0
  return (size) => {
    if (size > DRAWN) return draw(size)
    if (used + size > drawn.length) {
      drawn = draw(DRAWN)
      used = 0
    }
    used += size
    return drawn.subarray(used - size, used)
  }
}
