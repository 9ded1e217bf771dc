import { Refusal } from '../errors.ts'
import { isReservedName } from '../names.ts'

/** Pointers (RFC 6901) that name no member of the document's own. */
export const unknownPointers = (document: object, pointers: string[]) =>
  pointers.filter((pointer) => !hasMember(document, pointer))

/** Every pointer (RFC 6901) must name a member that the document has. Throws `Refusal('credential.pointer_invalid')`. */
export function checkPointers(document: object, pointers: string[]): void {
  const unknown = unknownPointers(document, pointers)
  if (unknown.length === 0) return
  const errors = unknown
    .slice(0, 10)
    .map((path) => ({ path, code: 'credential.pointer_invalid', message: 'the credential has no such member' }))
  throw new Refusal('credential.pointer_invalid', 'A JSON pointer does not name a member of the credential.', errors)
}

/** An entry of an object or a list: not what a list has besides, such as its length. */
const isEntry = (value: object, key: string): boolean => Object.prototype.propertyIsEnumerable.call(value, key)

/**
 * The library that selects by pointers builds what it selects in ordinary objects, step by step: a pointer of
 * `/hasOwnProperty/call` would be written into a function that the whole process shares. Such a step names no member here,
 * whatever the document has.
 */
function hasMember(document: unknown, pointer: string): boolean {
  if (pointer === '') return true
  if (!pointer.startsWith('/')) return false
  let value = document
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || isReservedName(key) || !isEntry(value, key)) return false
    value = Reflect.get(value, key)
  }
  return true
}
