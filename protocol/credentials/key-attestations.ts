import { type FieldError, within } from '../errors.ts'
import { isObject } from '../json.ts'

/** How well attested keys have to be kept (OpenID4VCI 1.0, appendix D.2); an empty list asks for nothing. */
export interface KeyRequirements {
  keyStorage: readonly string[]
  userAuthentication: readonly string[]
}

const MAX_LEVELS = 20
const LEVEL = /^[\x21-\x7e]{1,500}$/

/** What forbids a list of levels. */
export function levelFaults(levels: unknown, path: string): FieldError[] {
  if (!Array.isArray(levels) || levels.length > MAX_LEVELS)
    return [{ path, code: 'count', message: `expected a list of at most ${MAX_LEVELS}` }]
  return levels.flatMap((level: unknown, at): FieldError[] => {
    const place = within(path, at)
    if (typeof level !== 'string' || !LEVEL.test(level))
      return [{ path: place, code: 'text', message: 'expected 1 to 500 characters of ASCII without spaces' }]
    return levels.indexOf(level) < at ? [{ path: place, code: 'repeated', message: 'expected each once' }] : []
  })
}

/** What forbids the requirements of a template, which have the names of its wire in paths. */
export function keyAttestationErrors(given: unknown, path = 'key_attestations'): FieldError[] {
  if (given === undefined) return []
  const faults = isObject(given)
    ? [
        ...levelFaults(given.keyStorage, `${path}.key_storage`),
        ...levelFaults(given.userAuthentication, `${path}.user_authentication`),
      ]
    : [{ path, code: 'object', message: 'expected an object with key_storage and user_authentication' }]
  return faults.map((fault) => ({ ...fault, code: `credential_template.${fault.code}` }))
}
