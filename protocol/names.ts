import { closestMatch } from 'leven'

/**
 * Names that come from outside, such as columns, claims and members, and the look-up of them in objects (D-150). An
 * ordinary object also has the members of its prototype: `toString` is a function that the whole process shares, and a
 * member that is written into it stays.
 */

/** Members of every object, and `prototype` of every function. */
const OF_OBJECTS: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype'])

/** Members that lead on from a function; not `name` and `length`, which are read-only and common names of claims. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['apply', 'arguments', 'bind', 'call', 'caller'])

/** Whether every object has a member of this name: code that copies members one by one may follow it. */
export const isReservedName = (name: string): boolean => OF_OBJECTS.has(name)

/** The same for a step of a path, which may also lead on from a function. */
export const isReservedStep = (step: string): boolean => OF_OBJECTS.has(step) || OF_FUNCTIONS.has(step)

/** Returns an own member by a name from outside; undefined if the object has none. */
export const ownMember = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined

/** Writes an own member by a name from outside, without calling a setter of a prototype. */
export function setOwnMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/**
 * Returns a look-up table for names from outside, which has only its own names: `table.get(name)` in place of
 * `table[name]`.
 */
export const tableOf = <Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries))

/** Characters of a name at most for which the nearest one is looked for: the work grows with the square of the length. */
const MAX_NAME = 100

/** Names that differ in case and separators alone are the same to people. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

/** Returns a function that finds which of these names a caller most likely meant by another one. */
export function nearestOf(names: readonly string[]): (name: string) => string | undefined {
  const known = new Map(names.filter((name) => name.length <= MAX_NAME).map((name) => [plain(name), name]))
  return (name) => {
    if (name.length > MAX_NAME) return undefined
    const wanted = plain(name)
    const maxDistance = Math.min(3, Math.floor(name.length / 3))
    return known.get(wanted) ?? known.get(closestMatch(wanted, [...known.keys()], { maxDistance }) ?? '')
  }
}

/** Control characters, ends of lines, and characters that change the direction of what follows (UAX #9, section 2). */
const NOT_OF_LABELS = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`

const LABEL = new RegExp(`^[^${NOT_OF_LABELS}]*[\\p{L}\\p{N}\\p{P}\\p{S}][^${NOT_OF_LABELS}]*$`, 'u')

/** Letters and symbols among them are as empty as a space. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u

export const MAX_LABEL = 255

/** What a refusal of a name for people says. */
export const LABEL_EXPECTED = `expected one line of 1 to ${MAX_LABEL} characters, some of them visible and none that change the direction of the text`

/** Whether a text is a name for people: one line of which something is seen, as it is written. */
export const isLabel = (text: string): boolean =>
  text.length > 0 && text.length <= MAX_LABEL && LABEL.test(text) && !UNSEEN.test(text)
