/** XSD dateTime as W3C credentials write it: the time zone is optional in 1.1 and required in 2.0 (dateTimeStamp). */
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/
/** Years that PostgreSQL and `toISOString` write with four digits, whatever the zone: 0000 is no year to the one. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** The moment that a date-time names, or undefined when it names none (also 30 February, and the year 0). Without a zone: UTC. */
export function momentOf(text: unknown, { zoneRequired }: { zoneRequired: boolean }): Date | undefined {
  const match = typeof text === 'string' ? DATE_TIME.exec(text) : null
  if (match === null || (zoneRequired && match[7] === undefined)) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  if (hour === undefined || hour > 23 || minute === undefined || minute > 59 || second === undefined || second > 59)
    return undefined
  const calendar = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  if (calendar.getUTCMonth() + 1 !== month || calendar.getUTCDate() !== day) return undefined
  const moment = new Date(match[7] === undefined ? `${match[0]}Z` : match[0])
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
