/**
 * Names that come from outside, such as columns, claims and members, and the objects that they are looked up in (D-150).
 * An ordinary object also answers to the names of its prototype: what is found under `toString` is a function that the
 * whole process shares, and what is written into it stays there.
 */

/** Every object answers to these, and every function to `prototype`. */
const OF_OBJECTS: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype'])

/** These lead on from a function. `name` and `length` do not: they are read-only, and ordinary names of claims. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['apply', 'arguments', 'bind', 'call', 'caller'])

/** Whether a name of a member is one that every object has: code that copies members one by one may follow it. */
export const isReservedName = (name: string): boolean => OF_OBJECTS.has(name)

/** The same for a step of a path, which may also lead on from a function. */
export const isReservedStep = (step: string): boolean => OF_OBJECTS.has(step) || OF_FUNCTIONS.has(step)

/** An own member by a name from outside; undefined where the object has none of its own. */
export const ownMember = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined

/** Writes an own member by a name from outside, whatever the name is: no setter of a prototype is called. */
export function setOwnMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/**
 * A look-up table whose keys are ours and whose names come from outside: it answers to its own names alone.
 * `table.get(name)` in place of `table[name]`.
 */
export const tableOf = <Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries))
