import type { Schemas } from '../../../client/index.ts'

/** So often the log is looked at while it is followed. */
export const EVERY_MS = 3_000
/** Of requests that read the log: each look would show itself (D-800). */
const READING = 'analytics'

/** The filter without the entries of looking, unless the reader asks for kinds of entries. */
export function withoutReading(
  filter: Schemas['LogFilterIn'],
  kinds: readonly Schemas['EventTypeOut'][],
): Schemas['LogFilterIn'] {
  if (filter.categories.length > 0 || filter.types.length > 0) return filter
  const categories = new Set(kinds.map(({ category }) => category))
  categories.delete(READING)
  return { ...filter, categories: [...categories] }
}
