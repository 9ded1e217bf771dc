/** The units of a length of calendar time, in the order in which they are applied (specification, expires_in). */
export const DURATION_UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const
export type DurationUnit = (typeof DURATION_UNITS)[number]

/** A length of calendar time: whole numbers, none negative. A unit that is left out counts 0. */
export type Duration = Partial<Record<DurationUnit, number>>

/** W3C date-times have years of four digits. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const HOUR_MS = 3_600_000

/** Date.UTC takes the years 0 to 99 for 1900 to 1999; setUTCFullYear does not. */
const lastDayOfMonth = (year: number, month: number): number => {
  const day = new Date(0)
  day.setUTCFullYear(year, month + 1, 0)
  return day.getUTCDate()
}

/**
 * `start` and a duration later, in UTC: years and months first, together, where a day that the month does not have
 * becomes its last one (one month from 31 January is 28 or 29 February); then weeks and days; then hours, minutes and
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

/** A date-time in UTC without fractions of a second, as proofs and credentials of ours have it (XML Schema 1.1 part 2, 3.3.7). */
export const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** What the time is, as far as anybody knows: the clocks of those who date things may differ from ours (D-167). */
export interface Clock {
  now: Date
  /** Milliseconds by which they may differ, either way; 0 unless told. */
  toleranceMs?: number
}

/** Whether a moment has come by every clock within the tolerance. */
export const hasCome = (moment: Date, { now, toleranceMs = 0 }: Clock): boolean =>
  moment.getTime() + toleranceMs <= now.getTime()

/** Whether a moment is still to come by every clock within the tolerance. */
export const isToCome = (moment: Date, { now, toleranceMs = 0 }: Clock): boolean =>
  moment.getTime() - toleranceMs > now.getTime()
