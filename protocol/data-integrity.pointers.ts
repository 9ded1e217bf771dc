import { Refusal } from './errors.ts'

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

function hasMember(document: unknown, pointer: string): boolean {
  if (pointer === '') return true
  if (!pointer.startsWith('/')) return false
  let value = document
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = Reflect.get(value, key)
  }
  return true
}
