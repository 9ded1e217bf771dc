import type { FieldError } from '../errors.ts'
import { referenceToken } from '../json.ts'
import { isReservedName } from '../names.ts'

/** Far above an honest credential; below what overflows a stack in the libraries. */
const BOUNDS = { depth: 64, members: 20_000, contexts: 32, characters: 1_000_000 } as const

/**
 * What a stranger has signed is verified whatever its members are called: names are data there (D-151). These two alone
 * are no data to a JavaScript reader: JSON-LD libraries drop the one, and an object with the other has no text.
 */
const UNREADABLE = new Set(['__proto__', 'toString'])

/** `own`: we are asked to sign or to keep the document. `foreign`: somebody else has signed it. */
export type Origin = 'own' | 'foreign'

const MAX_ERRORS = 20

const textError = (text: string): string | undefined => {
  if (text.includes('\u0000')) return 'must not hold the character U+0000'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

function memberErrors(key: string, value: unknown, origin: Origin): [code: string, message: string] | undefined {
  if (UNREADABLE.has(key) || (origin === 'own' && isReservedName(key)))
    return ['unsafe_name', 'this name is not allowed: every object has a member of it']
  const text = textError(key) ?? (typeof value === 'string' ? textError(value) : undefined)
  if (text !== undefined) return ['text', text]
  if (typeof value === 'number' && !Number.isFinite(value)) return ['number', 'the number is too large']
  if (key === '@context' && Array.isArray(value) && value.length > BOUNDS.contexts)
    return ['too_many_contexts', `at most ${BOUNDS.contexts} contexts`]
  return undefined
}

/**
 * Depth, number of members, number of contexts, text and numbers of a document, without recursion. An empty list means
 * that the libraries can be given the document.
 */
export function boundsErrors(document: object, origin: Origin = 'own'): FieldError[] {
  const errors: FieldError[] = []
  const pending: { value: object; path: string; depth: number }[] = [{ value: document, path: '', depth: 1 }]
  let members = 0
  for (let next = pending.pop(); next !== undefined && errors.length < MAX_ERRORS; next = pending.pop()) {
    const { value, path, depth } = next
    if (depth > BOUNDS.depth) return [{ path, code: 'credential.too_deep', message: `at most ${BOUNDS.depth} levels` }]
    for (const [key, member] of Object.entries(value)) {
      if (++members > BOUNDS.members)
        return [{ path: '', code: 'credential.too_large', message: `at most ${BOUNDS.members} members` }]
      const error = memberErrors(key, member, origin)
      const at = `${path}/${referenceToken(key)}`
      if (error !== undefined) errors.push({ path: at, code: `credential.${error[0]}`, message: error[1] })
      if (typeof member === 'object' && member !== null) pending.push({ value: member, path: at, depth: depth + 1 })
    }
  }
  return errors
}
