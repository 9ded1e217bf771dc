import { asciiHost, isHostName } from '../../hosts/names.ts'

/** A path of SMTP without its brackets (RFC 5321, section 4.5.3.1.3); of the local part section 4.5.3.1.1. */
const MAX_EMAIL = 254
const MAX_LOCAL = 64

/** A dot-string of RFC 5321, section 4.1.2. A quoted local part, and one beyond ASCII (RFC 6531), is refused (D-622). */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

export const EMAIL_EXPECTED =
  'expected an e-mail address such as ada@university.example, of 254 characters at most, with an ASCII local part'

/**
 * Returns the one form of an e-mail address that accounts are found by: in lower case, with its domain in ASCII (UTS
 * #46), so that forms that look or read the same are the same. undefined: it is no address of an account.
 */
export function readEmail(text: string): string | undefined {
  if (text.length > 2 * MAX_EMAIL) return undefined
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0)).toLowerCase()
  const domain = asciiHost(text.slice(at + 1))
  if (!LOCAL.test(local) || local.length > MAX_LOCAL || domain === undefined) return undefined
  if (!isHostName(domain) || !domain.includes('.')) return undefined
  const email = `${local}@${domain}`
  return email.length <= MAX_EMAIL ? email : undefined
}
