import type { FieldError } from '../errors.ts'
import { isObject, isUsableText, referenceToken } from '../json.ts'
import { isReservedName, ownMember } from '../names.ts'

/**
 * Far above an honest credential, and below the limits of the libraries' stacks. The characters of names and texts are as
 * many as a request can have: a template may take one claim of it many times.
 */
const BOUNDS = { depth: 64, members: 20_000, contexts: 32, characters: 1024 * 1024 } as const

/**
 * In a credential of another issuer any name of a member is data (D-151), except these two: JSON-LD libraries drop
 * `__proto__`, and JavaScript cannot convert an object with `toString` to text.
 */
const UNREADABLE = new Set(['__proto__', 'toString'])

/** `own`: a document that we sign or store. `foreign`: a document that somebody else has signed. */
export type Origin = 'own' | 'foreign'

const MAX_ERRORS = 20

/** Members of what envelopes of one document have in them, together. */
export const MAX_ENVELOPED = BOUNDS.members

/** Members of a document, in all its objects and lists. */
export function membersIn(document: object): number {
  const pending = [document]
  let members = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const member of Object.values(next) as unknown[]) {
      members += 1
      if (typeof member === 'object' && member !== null) pending.push(member)
    }
  return members
}

const textError = (text: string): string | undefined => {
  if (text.includes('\u0000')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

function memberErrors(key: string, value: unknown, origin: Origin): [code: string, message: string] | undefined {
  if (UNREADABLE.has(key) || (origin === 'own' && isReservedName(key)))
    return ['unsafe_name', 'is a reserved name: every JavaScript object has a member of it']
  const text = textError(key) ?? (typeof value === 'string' ? textError(value) : undefined)
  if (text !== undefined) return ['text', text]
  if (typeof value === 'number' && !Number.isFinite(value)) return ['number', 'must be a finite number']
  if (key === '@context' && Array.isArray(value) && value.length > BOUNDS.contexts)
    return ['too_many_contexts', `must have at most ${BOUNDS.contexts} contexts`]
  return undefined
}

/** Members in which answers of this and of other platforms hold a credential or a presentation. */
const WRAPPERS = ['credential', 'verifiableCredential', 'presentation', 'verifiablePresentation', 'payload']

/** Advice for a document that holds, as a member, what was meant to be sent; empty for any other. */
export function wrapperHint(document: object): string {
  const member = WRAPPERS.find((name) => {
    const value = ownMember(document, name)
    return isObject(value) && shapelessErrors(value).length === 0
  })
  return member === undefined ? '' : ` Send its member ${member}, and not the object around it.`
}

/**
 * Returns errors for an object that has neither `@context` nor `type`: it breaks no rule of a credential or presentation,
 * because nobody could take it for one (D-250).
 */
export const shapelessErrors = (document: object): FieldError[] =>
  Object.hasOwn(document, '@context') || Object.hasOwn(document, 'type')
    ? []
    : ['@context', 'type'].map((name) => ({ path: `/${name}`, code: 'required', message: 'is required' }))

/**
 * Checks depth, number of members, of contexts and of characters, texts and numbers of a document, without recursion. If
 * the list is empty, the libraries can process the document.
 */
export function boundsErrors(document: object, origin: Origin = 'own'): FieldError[] {
  const errors: FieldError[] = []
  const pending: { value: object; path: string; depth: number }[] = [{ value: document, path: '', depth: 1 }]
  let members = 0
  let characters = 0
  for (let next = pending.pop(); next !== undefined && errors.length < MAX_ERRORS; next = pending.pop()) {
    const { value, path, depth } = next
    if (depth > BOUNDS.depth)
      return [{ path, code: 'credential.too_deep', message: `must have at most ${BOUNDS.depth} levels` }]
    for (const [key, member] of Object.entries(value)) {
      if (++members > BOUNDS.members)
        return [{ path: '', code: 'credential.too_large', message: `must have at most ${BOUNDS.members} members` }]
      characters += (Array.isArray(value) ? 0 : key.length) + (typeof member === 'string' ? member.length : 0)
      if (characters > BOUNDS.characters)
        return [
          { path: '', code: 'credential.too_large', message: `must have at most ${BOUNDS.characters} characters` },
        ]
      const error = memberErrors(key, member, origin)
      // a name that cannot be stored is not repeated, because what is refused may be recorded
      const at = isUsableText(key) ? `${path}/${referenceToken(key)}` : path
      if (error !== undefined) errors.push({ path: at, code: `credential.${error[0]}`, message: error[1] })
      if (typeof member === 'object' && member !== null) pending.push({ value: member, path: at, depth: depth + 1 })
    }
  }
  return errors
}
