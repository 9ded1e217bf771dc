import type { FieldError } from '../errors.ts'
import { referenceToken } from '../json.ts'

/** Members whose null has a meaning: it turns off a default of the context. */
const MEANINGFUL_NULL = new Set(['@language', '@direction'])

/**
 * JSON-LD writes a number that is not whole, or from 10^21 on, with 16 digits (JSON-LD 1.1 API, section 8.2.2). A
 * double may need 17, and the last digit would look signed.
 */
const losesDigits = (value: unknown): boolean =>
  typeof value === 'number' &&
  Number(value.toExponential(15)) !== value &&
  !(Number.isInteger(value) && Math.abs(value) < 1e21)

/** `@index` is not part of any statement (JSON-LD 1.1, section 4.6.1), so it is not signed. */
const isUnsigned = (key: string, value: unknown, sign: boolean): boolean => {
  if (key === '@index') return true
  if (!sign || MEANINGFUL_NULL.has(key)) return false
  return value === null || (Array.isArray(value) && value.length === 0)
}

/**
 * Returns errors for members that JSON-LD silently omits from its statements, so that they look signed and are not:
 * `@index` always; when we sign, also null, empty lists and a seventeenth digit, which are common and harmless in
 * credentials of others.
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
          message: 'has more digits than the 16 that are signed: send it as text',
        },
      ]
    if (!isUnsigned(key, member, sign)) return unsignedErrors(member, { sign }, at)
    return [{ path: at, code: 'credential.unsigned', message: 'is not signed: leave it out' }]
  })
}
