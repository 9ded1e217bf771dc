/**
 * @pattern ^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$ expected a UUID in lower case
 */
export type Uuid = string

/** JSON members whose meaning the contexts define. */
export interface JsonObject {
  [member: string]: unknown
}
