/**
 * One operation as the specification has it, and where that is silent, the page beside it. Members are words divided by
 * spaces: `name` is required (of an answer: always there), `name?` may be left out, `name^` may be left out or null,
 * `name~` of an answer is in that to the example of its operation, though not in every one.
 * `a.b` is a member of `a`, `a[].b` of each of `a`.
 */
export interface Row {
  operationId: string
  method: string
  path: string
  status: number
  query?: string
  body?: string
  /** Empty: the answer is `{}`. Without: the specification does not show it. */
  answer?: string
  /** Further statuses that the specification names. */
  also?: number[]
}

type Rest = Omit<Row, 'operationId' | 'method' | 'path' | 'status'>

export const row = (operationId: string, place: string, status: number, rest: Rest = {}): Row => {
  const [method = '', path = ''] = place.split(' ')
  return { operationId, method, path, status, ...rest }
}

export const PAGE = 'limit page'
export const TOTALS = 'limit totalCount totalPages'
export const SNAKE_TOTALS = 'limit total_count total_pages'

export const within = (place: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `${place}.${name}`)
    .join(' ')

/** A lifetime: years to seconds, of which each may be left out. */
export const lifetime = (place: string): string => within(place, 'days? hours? minutes? months? seconds? weeks? years?')
