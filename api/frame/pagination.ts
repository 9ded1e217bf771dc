import { Refusal } from '../../protocol/errors.ts'

const MAX_LIMIT = 1_000

/** Query parameters of every list. */
export interface PageQuery {
  /**
   * Rows on a page: 0 to 1000. Default: 20.
   * @isLong limit must be a whole number
   */
  limit?: number
  /**
   * Starts at 1.
   * @isLong page must be a whole number
   */
  page?: number
}

/**
 * Of a list that is asked for by a body.
 * @isLong limit must be a whole number
 */
export type PageLimit = number

/**
 * As PageLimit.
 * @isLong page must be a whole number
 */
export type PageNumber = number

export interface Page {
  limit: number
  offset: number
}

const whole = (value: number, name: string, maximum: number): number => {
  if (Number.isInteger(value) && value >= 0 && value <= maximum) return value
  throw new Refusal('request.invalid', `${name} is out of range.`, [
    { path: name, code: 'range', message: `expected a whole number from 0 to ${maximum}` },
  ])
}

/** limit: 20 by default, 1000 at most, 0 for the totals alone; page starts at 1, and 0 is read as 1. */
export function toPage(limit: number | undefined, page: number | undefined, defaultLimit = 20): Page {
  const size = whole(limit ?? defaultLimit, 'limit', MAX_LIMIT)
  const number = Math.max(1, whole(page ?? 1, 'page', Number.MAX_SAFE_INTEGER))
  // bounded: PostgreSQL refuses an offset beyond 64 bits, and a page beyond the last row is empty
  return { limit: size, offset: Math.min((number - 1) * size, Number.MAX_SAFE_INTEGER) }
}

const pages = (total: number, limit: number) => (limit === 0 ? 0 : Math.ceil(total / limit))

/** Totals in the casing of the operation (specification, Endpoints). */
export const camelTotals = (total: number, limit: number) => ({
  limit,
  totalCount: total,
  totalPages: pages(total, limit),
})

export const snakeTotals = (total: number, limit: number) => ({
  limit,
  total_count: total,
  total_pages: pages(total, limit),
})
