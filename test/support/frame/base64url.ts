const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * A text that lenient decoders read as the same bytes: the lowest bit of its last character, which no byte uses, is set.
 * For texts whose length is no multiple of four.
 */
export function unusedBitSet(text: string): string {
  const last = ALPHABET.indexOf(text.slice(-1))
  if (last % 2 === 1) throw new Error('the last character has no unused bit')
  return text.slice(0, -1) + ALPHABET.charAt(last + 1)
}
