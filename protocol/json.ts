export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON-LD does not tell one value from a list of one. */
export const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])

/** The value itself, which nobody can change any more, nor anything in it: for what many share. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

/** A name as one step of a JSON pointer (RFC 6901, section 3). */
export const referenceToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** A place in a document: the name or the index, and what it stands in; the document itself has none. */
export interface Place {
  step: string | number
  within?: Place | undefined
}

/** A place as a JSON pointer: written when somebody is told, as most places are walked past. */
export const pointerTo = (place: Place | undefined): string =>
  place ? `${pointerTo(place.within)}/${referenceToken(String(place.step))}` : ''
