/** In lower case, as we make and store them. Texts of callers are looked at before PostgreSQL would refuse them. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
