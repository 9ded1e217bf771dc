import { base32upper } from 'multiformats/bases/base32'
import { Refusal } from '../errors.ts'

/** Compact credentials carry claims of their own; compact-semantic ones a credential of the W3C in the claim `vc`. */
export type Profile = 'compact' | 'compact-semantic'

/** What a text begins with: who defines it, and version 1 (as New Zealand's COVID pass: `NZCP:/1/`). */
export const PREFIXES: Readonly<Record<Profile, string>> = { compact: 'CSC:/1/', 'compact-semantic': 'CSS:/1/' }

/** Characters of a credential that are read: more than twice what the largest QR code holds. */
export const MAX_TEXT = 10_000

export const malformed = (message: string) => new Refusal('compact_credential.malformed', message)

/** The credential's bytes as text for QR codes: its prefix and base32 in upper case without padding (RFC 4648). */
export const toText = (prefix: string, bytes: Uint8Array): string =>
  prefix + base32upper.encode(bytes).slice(base32upper.prefix.length)

/** Characters of the text of so many bytes: each stands for five bits. */
export const lengthOfText = (prefix: string, { length }: Uint8Array): number =>
  prefix.length + Math.ceil((length * 8) / 5)

/**
 * Returns the bytes of a text with the prefix. It is strict, so that a credential has one text: upper case, no padding,
 * no other characters, no bits left over. Throws `Refusal('compact_credential.malformed')`.
 */
export function fromText(prefix: string, text: string): Uint8Array {
  if (text.length > MAX_TEXT)
    throw malformed(`The credential has ${text.length} characters; at most ${MAX_TEXT} are read.`)
  if (!text.startsWith(prefix)) throw malformed(`The credential does not begin with ${prefix}.`)
  const encoded = text.slice(prefix.length)
  let bytes: Uint8Array | undefined
  try {
    bytes = base32upper.decode(base32upper.prefix + encoded)
  } catch {
    bytes = undefined // not base32, which the next line says
  }
  if (bytes === undefined || toText(prefix, bytes) !== text)
    throw malformed(`The text after ${prefix} is not base32 in upper case without padding.`)
  return bytes
}
