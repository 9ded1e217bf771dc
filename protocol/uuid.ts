/** A UUID in lower case, as we create and store them, for use in patterns. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const WHOLE = new RegExp(`^${UUID}$`)

/** Checks a caller's text before PostgreSQL would refuse it. */
export const isUuid = (text: string): boolean => WHOLE.test(text)
