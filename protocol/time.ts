/** Units of a duration, in the order in which they are added (specification, expires_in). */
export const DURATION_UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const
export type DurationUnit = (typeof DURATION_UNITS)[number]

/** A duration in calendar units: whole numbers from 0. An absent unit is 0. */
export type Duration = Partial<Record<DurationUnit, number>>

/** W3C date-times have years of four digits. */
export const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** setUTCFullYear, since Date.UTC reads the years 0 to 99 as 1900 to 1999. */
const lastDayOfMonth = (year: number, month: number): number => {
  const day = new Date(0)
  day.setUTCFullYear(year, month + 1, 0)
  return day.getUTCDate()
}

/** Whether a month of a year, counted from 1, has this day. */
export const isDayOfMonth = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= lastDayOfMonth(year, month - 1)

/**
 * Adds a duration to a time in UTC: years and months first, together, where a day that the month does not have
 * becomes its last one (31 January and one month is 28 or 29 February); then weeks and days; then hours, minutes and
 * seconds (XML Schema 1.0 part 2, appendix E, and PostgreSQL's `timestamp + interval`). Undefined after the year 9999.
 */
export function addDuration(start: Date, duration: Duration): Date | undefined {
  const { years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = duration
  const month = start.getUTCFullYear() * 12 + start.getUTCMonth() + years * 12 + months
  if (month >= 10_000 * 12) return undefined
  const [year, ofYear] = [Math.floor(month / 12), month % 12]
  const date = new Date(start)
  date.setUTCFullYear(year, ofYear, Math.min(start.getUTCDate(), lastDayOfMonth(year, ofYear)))
  const moment =
    date.getTime() + ((weeks * 7 + days) * 24 + hours) * HOUR_MS + minutes * (HOUR_MS / 60) + seconds * 1_000
  return moment > LAST_MOMENT ? undefined : new Date(moment)
}

/** The full hour before a moment, by which nobody tells which credentials were issued together (RFC 9901, section 10.1). */
export const fullHourBefore = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS)

/** The last full hour until an end, or the end itself where that is within an hour of the beginning. */
export const lastHourOf = (end: Date, begin: Date): Date => (fullHourBefore(end) > begin ? fullHourBefore(end) : end)

/** A date-time in UTC to the second, as in our proofs and credentials (XML Schema 1.1 part 2, 3.3.7). */
export const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** The first and the last second that a Date holds (ECMA-262, time values). */
const DATE_SECONDS = 8.64e12

/** The moment of a NumericDate (RFC 7519 and RFC 8392, section 2); outside of what a Date holds, its first or last. */
export const momentOfSeconds = (seconds: number): Date =>
  new Date(Math.max(-DATE_SECONDS, Math.min(seconds, DATE_SECONDS)) * 1_000)

/** The current time with a tolerance: the clocks of issuers and holders may differ from ours (D-167). */
export interface Clock {
  now: Date
  /** Milliseconds by which clocks may differ, in both directions. Default: 0. */
  toleranceMs?: number
}

/** Whether a moment is past on every clock within the tolerance. */
export const hasCome = (moment: Date, { now, toleranceMs = 0 }: Clock): boolean =>
  moment.getTime() + toleranceMs <= now.getTime()

/** Whether a moment is in the future on every clock within the tolerance. */
export const isToCome = (moment: Date, { now, toleranceMs = 0 }: Clock): boolean =>
  moment.getTime() - toleranceMs > now.getTime()

/** The first of some moments; null and undefined are none. */
export const earliest = (first: Date, ...others: (Date | null | undefined)[]): Date =>
  others.reduce<Date>((before, each) => (each && each < before ? each : before), first)

/** null: there is none among them. */
export function earliestOf(...moments: (Date | null | undefined)[]): Date | null {
  const [first, ...others] = moments.flatMap((each) => each ?? [])
  return first ? earliest(first, ...others) : null
}
