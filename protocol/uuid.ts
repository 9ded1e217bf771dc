/** A UUID in lower case, as we create and store them, for use in patterns. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const WHOLE = new RegExp(`^${UUID}$`)

/** Checks a caller's text before PostgreSQL would refuse it. */
export const isUuid = (text: string): boolean => WHOLE.test(text)

const EITHER_CASE = new RegExp(WHOLE, 'i')

/** The UUID of a caller, who may write it in either case (RFC 9562, section 4), as we store it; undefined for no UUID. */
export const readUuid = (text: string): string | undefined => (EITHER_CASE.test(text) ? text.toLowerCase() : undefined)
