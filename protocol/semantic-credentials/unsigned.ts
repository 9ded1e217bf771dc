import type { FieldError } from '../errors.ts'
import { referenceToken } from '../json.ts'

/** Members whose null says something: they switch a default of the context off. */
const MEANINGFUL_NULL = new Set(['@language', '@direction'])

/**
 * JSON-LD writes a number that is not whole, or 10^21 and above, with 16 digits (JSON-LD 1.1 API, section 8.2.2); a double
 * may need 17. The last one would look signed.
 */
const losesDigits = (value: unknown): boolean =>
  typeof value === 'number' &&
  Number(value.toExponential(15)) !== value &&
  !(Number.isInteger(value) && Math.abs(value) < 1e21)

/** `@index` names an entry for people and is no statement (JSON-LD 1.1, section 4.6.1): nothing signs it. */
const isUnsigned = (key: string, value: unknown, sign: boolean): boolean => {
  if (key === '@index') return true
  if (!sign || MEANINGFUL_NULL.has(key)) return false
  return value === null || (Array.isArray(value) && value.length === 0)
}

/**
 * Members that JSON-LD leaves out of its statements without a word, so that they would look signed and are not: `@index`
 * always; where we sign also null, empty lists and a seventeenth digit, which in the credentials of others are common and
 * say nothing.
 */
export function unsignedErrors(value: unknown, { sign }: { sign: boolean }, path = ''): FieldError[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === '@context') return []
    const at = `${path}/${referenceToken(key)}`
    if (sign && losesDigits(member))
      return [
        {
          path: at,
          code: 'credential.unsigned',
          message: 'has more than the 16 digits that are signed: send it as text',
        },
      ]
    if (!isUnsigned(key, member, sign)) return unsignedErrors(member, { sign }, at)
    return [{ path: at, code: 'credential.unsigned', message: 'would not be signed: leave it out' }]
  })
}
