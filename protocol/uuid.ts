import { fromBase64url } from './base64url.ts'

/** A UUID in lower case, as we create and store them, for use in patterns. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** Before every other UUID (RFC 9562, section 5.9): where a walk over ids begins. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

const WHOLE = new RegExp(`^${UUID}$`)

/** Checks a caller's text before PostgreSQL would refuse it. */
export const isUuid = (text: string): boolean => WHOLE.test(text)

const EITHER_CASE = new RegExp(WHOLE, 'i')

/** The UUID of a caller, who may write it in either case (RFC 9562, section 4), as we store it; undefined for no UUID. */
export const readUuid = (text: string): string | undefined => (EITHER_CASE.test(text) ? text.toLowerCase() : undefined)

/** 16 bytes in hex as a UUID. */
export const uuidOfHex = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/**
 * The UUID of a credential's id in any of its forms: a UUID, its URN (RFC 9562, section 4), or its 16 bytes in base64url,
 * the `jti` of compact credentials (D-282). Undefined for other texts.
 */
export function uuidOfId(text: string): string | undefined {
  const uuid = readUuid(text.replace(/^urn:uuid:/, ''))
  if (uuid) return uuid
  const bytes = fromBase64url(text)
  return bytes?.length === 16 ? uuidOfHex(Buffer.from(bytes).toString('hex')) : undefined
}
