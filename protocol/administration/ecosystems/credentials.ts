import { type FieldError, Refusal } from '../../errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import type { Profile } from './policy.ts'

/** What a caller gives of a type of credential. */
export interface EcosystemCredentialInput {
  name: string
  profile: Profile
  /** A type of a W3C or compact credential, or a document type, as credentials name it. */
  type: string
}

/** As types of templates: no white space of any alphabet, nothing invisible, no keyword of JSON-LD. */
const TYPE = /^(?!@)[^\p{White_Space}\p{C}]{1,255}$/u

/** Throws `Refusal('ecosystem.invalid_name')`. */
export function checkEcosystemName(name: string): void {
  if (isLabel(name)) return
  throw new Refusal('ecosystem.invalid_name', 'The name of the ecosystem cannot be used; see errors.', [
    { path: 'name', code: 'text', message: LABEL_EXPECTED },
  ])
}

/** Throws `Refusal('ecosystem_credential.invalid')` that names each field at fault. */
export function checkEcosystemCredential({ name, type }: EcosystemCredentialInput): void {
  const errors: FieldError[] = []
  if (!isLabel(name)) errors.push({ path: 'name', code: 'text', message: LABEL_EXPECTED })
  if (!TYPE.test(type))
    errors.push({ path: 'type', code: 'type', message: 'expected 1 to 255 characters without white space' })
  if (errors.length === 0) return
  throw new Refusal('ecosystem_credential.invalid', 'The credential of the ecosystem is not valid; see errors.', errors)
}
