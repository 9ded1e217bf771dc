import { createSealer } from '../../frame/sealing.ts'
import { createBlindIndex } from '../../keys/blind-index.ts'

/** Personal data of an account; rows have it encrypted. */
export interface Person {
  /** As protocol/administration/accounts/emails.ts reads it. */
  email: string
  firstName: string
  middleName: string | null
  lastName: string
}

/** Encrypts and finds people. */
export function createPeople(masterKey: Uint8Array) {
  const sealer = createSealer(masterKey, 'accounts')
  const index = createBlindIndex(masterKey, 'accounts-index')
  return {
    /** The digest that an account is found by. */
    indexOf: (email: string): Buffer => index('email', email),

    /** `place` is the row: in another one the content does not open. */
    seal: (person: Person, place: string): Buffer => sealer.seal(Buffer.from(JSON.stringify(person)), place),

    open: (content: Uint8Array, place: string): Person => JSON.parse(sealer.open(content, place).toString()) as Person,
  }
}

export type People = ReturnType<typeof createPeople>

export const accountPlace = (id: string) => `account/${id}`
export const registrationPlace = (id: string) => `registration/${id}`
