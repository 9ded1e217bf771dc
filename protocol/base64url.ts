/**
 * Returns the bytes of base64url without padding (RFC 7515, section 2), or undefined for any other text. It is strict:
 * decoders that accept padding, other alphabets or non-zero unused bits read several texts as the same bytes, so that a
 * signature or a token would have several forms.
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** The text without `=` at its end. `/=+$/` takes time with the square of a text that has many of them elsewhere. */
export function withoutPadding(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '=') end -= 1
  return text.slice(0, end)
}
