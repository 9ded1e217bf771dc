import { createCipheriv } from 'node:crypto'
import { Refusal } from '../errors.ts'

/** Four rounds give a pseudo-random permutation; short halves need more (NIST SP 800-38G uses ten). */
const ROUNDS = 10

/**
 * A keyed permutation of [0, size): maps the counter of a list to a position that does not reveal the order; no
 * position repeats. A Feistel network with AES-256 as its round function over the next power of two, repeated until the
 * result is inside (Black and Rogaway, Ciphers with arbitrary finite domains). `key` has 32 bytes. About 15 µs. Throws
 * `Refusal('status_list.full')` for a counter that is not below `size`.
 */
export function permute(counter: number, size: number, key: Uint8Array): number {
  if (!Number.isInteger(size) || size < 1 || size > 2 ** 31) throw new RangeError('size: expected 1 to 2^31')
  if (!Number.isInteger(counter) || counter < 0) throw new RangeError('counter: expected a whole number from 0')
  if (counter >= size) throw new Refusal('status_list.full', 'Every entry of the status list is in use.')
  const cipher = createCipheriv('aes-256-ecb', key, null)
  const bits = Math.max(2, Math.ceil(Math.log2(size)))
  const low = bits >> 1
  const masks = { left: 2 ** (bits - low) - 1, right: 2 ** low - 1 }
  const block = Buffer.alloc(16)

  /** Pseudo-random bits of one half, bound to the round and to the size. One block in, one block out. */
  const scramble = (round: number, half: number): number => {
    block.writeUInt32BE(round, 0)
    block.writeUInt32BE(half, 4)
    block.writeUInt32BE(size - 1, 8)
    return cipher.update(block).readUInt32BE(0)
  }

  const shuffle = (value: number): number => {
    let left = Math.floor(value / 2 ** low)
    let right = value & masks.right
    for (let round = 0; round < ROUNDS; round += 2) {
      left = (left ^ scramble(round, right)) & masks.left
      right = (right ^ scramble(round + 1, left)) & masks.right
    }
    return left * 2 ** low + right
  }

  let position = shuffle(counter)
  while (position >= size) position = shuffle(position)
  return position
}
