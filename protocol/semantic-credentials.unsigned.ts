import type { FieldError } from './errors.ts'

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Members whose null says something: they switch a default of the context off. */
const MEANINGFUL_NULL = new Set(['@language', '@direction'])

/** `@index` names an entry for people and is no statement (JSON-LD 1.1, section 4.6.1): nothing signs it. */
const isUnsigned = (key: string, value: unknown, sign: boolean): boolean => {
  if (key === '@index') return true
  if (!sign || MEANINGFUL_NULL.has(key)) return false
  return value === null || (Array.isArray(value) && value.length === 0)
}

/**
 * Members that JSON-LD leaves out of its statements without a word, so that they would look signed and are not: `@index`
 * always, null and empty lists where we sign. In the credentials of others the latter two are common, and say nothing.
 */
export function unsignedErrors(value: unknown, { sign }: { sign: boolean }, path = ''): FieldError[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === '@context') return []
    const at = `${path}/${escaped(key)}`
    if (!isUnsigned(key, member, sign)) return unsignedErrors(member, { sign }, at)
    return [{ path: at, code: 'credential.unsigned', message: 'would not be signed: leave it out' }]
  })
}
