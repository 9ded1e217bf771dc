import { Refusal } from '../../protocol/errors.ts'
import type { Uuid } from '../frame/wire.ts'

export interface LogFilterIn {
  /**
   * E.g. did, credential-web-semantic. Empty: all.
   * @maxItems 100
   */
  categories: string[]
  /**
   * E.g. DID_CREATE_SUCCESS. Empty: all. An entry matches by category or by type.
   * @maxItems 100
   */
  types: string[]
  /**
   * Ids of log entries. Empty: all.
   * @maxItems 1000
   */
  ids: Uuid[]
  /**
   * Values of `x-request-id` of responses. Empty: all.
   * @maxItems 1000
   */
  requestIds: Uuid[]
  /**
   * Ids of the objects of entries: DIDs, credentials, templates, batches, revocations, requests, lists. Empty or
   * absent: all.
   * @maxItems 100
   */
  objectIds?: Uuid[]
  /** Inclusive. */
  dateFrom: Date
  /** Inclusive. */
  dateTo: Date
}

/**
 * The schema accepts ISO 8601 forms that Date cannot read, such as week dates, and zones that leave the four-digit
 * years.
 */
const readable = (date: Date, name: string): Date => {
  const year = date.getUTCFullYear()
  if (year >= 1 && year <= 9999) return date
  throw new Refusal('request.invalid', `${name} is not a date and time.`, [
    { path: name, code: 'date_time', message: 'expected the form 2027-01-31T12:00:00Z' },
  ])
}

/** The filter with its span of time. Throws `Refusal('request.invalid')`. */
export const toFilter = ({ dateFrom, dateTo, objectIds = [], ...filter }: LogFilterIn) => ({
  ...filter,
  objectIds,
  from: readable(dateFrom, 'dateFrom'),
  to: readable(dateTo, 'dateTo'),
})
