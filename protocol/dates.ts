/** XSD dateTime as W3C credentials write it: the time zone is optional in 1.1 and required in 2.0 (dateTimeStamp). */
const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2]))-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/
/** Every month has as many days. */
const SHORTEST_MONTH = 28
/** Years that PostgreSQL and `toISOString` write with four digits, whatever the zone: 0000 is no year to the one. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** The moment that a date-time names, or undefined when it names none (also 30 February, and the year 0). Without a zone: UTC. */
export function momentOf(text: unknown, { zoneRequired }: { zoneRequired: boolean }): Date | undefined {
  const match = typeof text === 'string' ? DATE_TIME.exec(text) : null
  if (match === null) return undefined
  const [whole, month, day, zone] = match
  if (zoneRequired && zone === undefined) return undefined
  // a Date takes 30 February for 1 or 2 March
  if (Number(day) > SHORTEST_MONTH && new Date(`${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day))
    return undefined
  const moment = new Date(zone === undefined ? `${whole}Z` : whole)
  return moment.getTime() >= FIRST && moment.getTime() <= LAST ? moment : undefined
}

/**
 * The specification's schema shows dates as `{dateTime, useZ}`, an artefact that clients of the reference may send.
 * `useZ` asks for UTC written with Z. Anything else is answered as it came, to be checked later.
 */
export function dateText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { dateTime, useZ, ...more } = value as Record<string, unknown>
  if (typeof dateTime !== 'string' || Object.keys(more).length > 0) return value
  const moment = useZ === true ? momentOf(dateTime, { zoneRequired: false }) : undefined
  return moment === undefined ? dateTime : moment.toISOString().replace('.000Z', 'Z')
}
