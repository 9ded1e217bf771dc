import type { Schemas } from '../../../client/index.ts'
import { DAY_MS } from '../../frame/moments.ts'

const HOUR_MS = 3_600_000

/** The hour that is running: a page that is open for long asks anew with each, and not with each moment. */
const thisHour = (): number => Math.floor(Date.now() / HOUR_MS) * HOUR_MS

function momentOf(text: string | undefined, instead: number): Date {
  const moment = new Date(text ?? '')
  return Number.isNaN(moment.getTime()) ? new Date(instead) : moment
}

/** The values of a field that takes several. */
const listed = (text = ''): string[] => text.split(/[\s,]+/).filter(Boolean)

/** What names an entry, a request or an object is looked for in all times, the rest in the last day. */
export function filterOf(query: Record<string, string | undefined>): Schemas['LogFilterIn'] {
  const lists = {
    ids: listed(query.ids),
    requestIds: listed(query.requestId),
    objectIds: listed(query.objectId),
  }
  const first = Object.values(lists).some(({ length }) => length > 0) ? 0 : thisHour() - DAY_MS
  return {
    ...lists,
    categories: listed(query.category),
    types: listed(query.type),
    dateFrom: momentOf(query.from, first).toISOString(),
    dateTo: momentOf(query.to, thisHour() + DAY_MS).toISOString(),
  }
}
