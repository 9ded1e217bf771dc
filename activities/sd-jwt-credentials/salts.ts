import { randomBytes } from 'node:crypto'
import type { RandomBytes } from '../../protocol/sd-jwt-credentials/disclosures.ts'

const DRAWN = 8_192

/**
 * Random bytes for salts, cut from larger draws, because a draw costs the same whatever its size. Each byte is given out once;
 * `draw` is what node:crypto has.
 */
export function createSaltSource(draw: RandomBytes = randomBytes): RandomBytes {
  let drawn: Uint8Array = new Uint8Array()
  let next = 0
  return (size) => {
    if (size > DRAWN / 8) return draw(size)
    if (next + size > drawn.length) {
      drawn = draw(DRAWN)
      next = 0
    }
    next += size
    return drawn.subarray(next - size, next)
  }
}
