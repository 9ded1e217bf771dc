/**
 * Bytes of base64url without padding (RFC 7515, section 2), or undefined for any other text. Strictly: decoders that take
 * padding, other alphabets or unused bits that are set read several texts as the same bytes, so that one signature, or one
 * token, would have many forms.
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
