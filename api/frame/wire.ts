import { UUID } from '../../protocol/uuid.ts'

/**
 * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ expected a UUID
 */
export type Uuid = string

const IS_UUID = new RegExp(`^${UUID}$`, 'i')

/** UUIDs are stored in lower case and may come in either (RFC 9562, section 4); other texts stay as they are. */
export const inLowerCase = (text: string): string => (IS_UUID.test(text) ? text.toLowerCase() : text)

/** JSON members whose meaning the contexts define. */
export interface JsonObject {
  [member: string]: unknown
}
