export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values of a member as a list: JSON-LD does not distinguish a value from a list of one. */
export const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])

/** Freezes a shared value deeply, and returns it. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

/** A name as one step of a JSON pointer (RFC 6901, section 3). */
export const referenceToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** A place in a document: a name or an index, and the place that contains it; undefined is the document itself. */
export interface Place {
  step: string | number
  within?: Place | undefined
}

/** Characters of a step that an error tells: many errors may be within one name that is as long as a request. */
const MAX_STEP = 500

/** A place as a JSON pointer: built only for an error, since most places have none. Long names are cut. */
export const pointerTo = (place: Place | undefined): string =>
  place ? `${pointerTo(place.within)}/${referenceToken(String(place.step).slice(0, MAX_STEP))}` : ''

/**
 * Whether a text can be stored and signed as it is: Unicode (half a surrogate pair has no form in UTF-8) without U+0000,
 * which PostgreSQL takes in no text and no JSON.
 */
export const isUsableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The text with U+FFFD in place of what `isUsableText` refuses: for what a message repeats of others. */
export const toUsableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** What a refusal of another text says. */
export const USABLE_TEXT = 'expected well-formed Unicode without U+0000'

/** Where JSON has other texts, or in place of a name its object, since the name itself is not to be repeated. */
export function unusableTexts(value: unknown, place?: Place): (Place | undefined)[] {
  if (typeof value === 'string') return isUsableText(value) ? [] : [place]
  if (Array.isArray(value)) return value.flatMap((each, step) => unusableTexts(each, { step, within: place }))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([step, member]) =>
    isUsableText(step) ? unusableTexts(member, { step, within: place }) : [place],
  )
}
