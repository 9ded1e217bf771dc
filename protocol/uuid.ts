/** In lower case, as we make and store them: for patterns that hold one. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const WHOLE = new RegExp(`^${UUID}$`)

/** Texts of callers are looked at before PostgreSQL would refuse them. */
export const isUuid = (text: string): boolean => WHOLE.test(text)
