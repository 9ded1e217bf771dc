import { KEPT_COUNT_DAYS, type KindCounts } from '../../activities/tokens-logs/logs/counts.ts'
import { momentOf } from '../../protocol/dates.ts'
import { Refusal } from '../../protocol/errors.ts'
import { HOUR_MS } from '../../protocol/time.ts'
import type { Count, DateTime } from '../frame/wire.ts'

export interface CountsQuery {
  /** The first hour is the one of this time. Default: 23 hours before the last one. */
  dateFrom?: DateTime
  /** The last hour is the one of this time. Default: now. */
  dateTo?: DateTime
}

interface HourlyOut {
  succeeded: Count[]
  failed: Count[]
}

interface KindCountsOut {
  /** The types of its entries are the name with _SUCCESS and _FAIL behind it: getLogEventTypes has them. */
  name: string
  succeeded: Count
  failed: Count
  /** The same by hour: as many numbers as `hours` has, in their order. */
  hourly: HourlyOut
}

export interface LogCountsOut {
  /** When each hour begins, oldest first; every hour of the span, in UTC. The last one may not be over. */
  hours: DateTime[]
  /** Kinds that have an entry in the span, by their names. */
  data: KindCountsOut[]
}

const DEFAULT_HOURS = 24
const MOST_HOURS = 7 * 24
/** A span may begin so many days ago: counts are kept for some days more. */
const OLDEST_DAYS = KEPT_COUNT_DAYS - 5

const refuse = (path: string, code: string, message: string): never => {
  throw new Refusal('request.invalid', `${path} is not right.`, [{ path, code, message }])
}

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS)

const timeOf = (text: string, path: string): Date =>
  momentOf(text, { zoneRequired: true }) ?? refuse(path, 'date_time', 'expected the form 2027-01-31T12:00:00Z')

/** The hours that are asked for. Throws `Refusal('request.invalid')`. */
export function toHours({ dateFrom, dateTo }: CountsQuery, now: Date): { from: Date; hours: number } {
  const last = dateTo === undefined ? hourOf(now) : hourOf(timeOf(dateTo, 'dateTo'))
  const first = dateFrom === undefined ? last - DEFAULT_HOURS + 1 : hourOf(timeOf(dateFrom, 'dateFrom'))
  const hours = last - first + 1
  if (hours < 1) refuse('dateTo', 'range', 'expected a time that is not before dateFrom')
  if (hours > MOST_HOURS) refuse('dateFrom', 'range', `expected at most ${MOST_HOURS} hours up to dateTo`)
  if (first < hourOf(now) - OLDEST_DAYS * 24)
    refuse(dateFrom === undefined ? 'dateTo' : 'dateFrom', 'range', `expected a time of the last ${OLDEST_DAYS} days`)
  if (last > hourOf(now) + 24) refuse('dateTo', 'range', 'expected a time that is at most a day ahead')
  return { from: new Date(first * HOUR_MS), hours }
}

export const countsToWire = (from: Date, hours: number, data: KindCounts[]): LogCountsOut => ({
  hours: Array.from({ length: hours }, (_, at) => new Date(from.getTime() + at * HOUR_MS).toISOString()),
  data,
})

export const COUNTS: LogCountsOut = {
  hours: ['2027-01-31T11:00:00.000Z', '2027-01-31T12:00:00.000Z'],
  data: [
    {
      name: 'CREDENTIAL_WEB_SEMANTIC_SIGN',
      succeeded: 120,
      failed: 1,
      hourly: { succeeded: [80, 40], failed: [0, 1] },
    },
  ],
}
