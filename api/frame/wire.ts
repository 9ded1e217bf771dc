import { readUuid } from '../../protocol/uuid.ts'

/**
 * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ expected a UUID
 */
export type Uuid = string

/** A UUID as it is stored; other texts stay as they are. */
export const inLowerCase = (text: string): string => readUuid(text) ?? text

/** JSON members whose meaning the contexts define. */
export interface JsonObject {
  [member: string]: unknown
}
