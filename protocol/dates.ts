/** XSD dateTime as W3C credentials write it: the time zone is optional in 1.1 and required in 2.0 (dateTimeStamp). */
const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2]))-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/
/** Days that every month has. */
const SHORTEST_MONTH = 28
/** Years that both PostgreSQL and `toISOString` write with four digits; PostgreSQL has no year 0000. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/**
 * Returns the moment of a date-time, or undefined if it is not valid (also 30 February, and the year 0). Without zone:
 * UTC.
 */
export function momentOf(text: unknown, { zoneRequired }: { zoneRequired: boolean }): Date | undefined {
  const match = typeof text === 'string' ? DATE_TIME.exec(text) : null
  if (match === null) return undefined
  const [whole, month, day, zone] = match
  if (zoneRequired && zone === undefined) return undefined
  // Date reads 30 February as 1 or 2 March
  if (Number(day) > SHORTEST_MONTH && new Date(`${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day))
    return undefined
  const moment = new Date(zone === undefined ? `${whole}Z` : whole)
  return moment.getTime() >= FIRST && moment.getTime() <= LAST ? moment : undefined
}

/**
 * Returns a date as text: the specification's schema shows dates as `{dateTime, useZ}`, which clients of the reference
 * may send. `useZ` means UTC with Z. Any other value is returned unchanged, to be checked later.
 */
export function dateText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { dateTime, useZ, ...more } = value as Record<string, unknown>
  if (typeof dateTime !== 'string' || Object.keys(more).length > 0) return value
  const moment = useZ === true ? momentOf(dateTime, { zoneRequired: false }) : undefined
  return moment === undefined ? dateTime : moment.toISOString().replace('.000Z', 'Z')
}
