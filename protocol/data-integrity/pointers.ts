import { Refusal } from '../errors.ts'
import { isReservedName } from '../names.ts'

/** Pointers (RFC 6901) that name no own member of the document. */
export const unknownPointers = (document: object, pointers: string[]) =>
  pointers.filter((pointer) => !hasMember(document, pointer))

/** Throws `Refusal('credential.pointer_invalid')` unless every pointer (RFC 6901) names a member of the document. */
export function checkPointers(document: object, pointers: string[]): void {
  const unknown = unknownPointers(document, pointers)
  if (unknown.length === 0) return
  const errors = unknown.slice(0, 10).map((pointer) => ({
    path: pointer.startsWith('/') ? pointer : '',
    code: 'credential.pointer_invalid',
    message: 'the credential has no such member',
  }))
  throw new Refusal(
    'credential.pointer_invalid',
    'A JSON pointer names no member of the credential; see errors.',
    errors,
  )
}

/** Whether a key is an entry of an object or a list: `length` of a list is not. */
const isEntry = (value: object, key: string): boolean => Object.prototype.propertyIsEnumerable.call(value, key)

/**
 * The library that selects by pointers copies the selection into ordinary objects: a pointer `/hasOwnProperty/call`
 * would write into a function that the whole process shares. So a reserved name is never a member here, even if the
 * document has it.
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
