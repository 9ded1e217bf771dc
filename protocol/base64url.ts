/**
 * Returns the bytes of base64url without padding (RFC 7515, section 2), or undefined for any other text. It is strict:
 * decoders that accept padding, other alphabets or non-zero unused bits read several texts as the same bytes, so that a
 * signature or a token would have several forms.
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
