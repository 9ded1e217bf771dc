import { dictionary } from '@zxcvbn-ts/language-common'

/** NIST SP 800-63B, section 5.1.1.2: at least 8, and at least 64 must be possible. */
const SHORTEST = 8
const LONGEST = 128

/** In UTF-16 units, before anything is normalised: normalisation may lengthen a text. */
export const MAX_PASSWORD_UNITS = 4 * LONGEST

export const PASSWORD_EXPECTED = `expected ${SHORTEST} to ${LONGEST} characters that are no common password, and not the name or address of the account`

/** Passwords that attackers try first, of breaches (NIST SP 800-63B, section 5.1.1.2). */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'])

/** The form that is hashed: NFKC, as NIST SP 800-63B, section 5.1.1.2, has it, so that each keyboard gives the same. */
export const normalisedPassword = (text: string): string => text.normalize('NFKC')

/** What a person would call the same text: without case, separators and digits at the end. */
const core = (text: string): string =>
  normalisedPassword(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** One character again and again, or a run of the alphabet or the digits. */
function isRun(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const steps = new Set(codes.slice(1).map((code, at) => code - (codes[at] ?? 0)))
  const [step = 0] = steps
  return steps.size <= 1 && Math.abs(step) <= 1
}

/**
 * Why a password must not be an account's, as a code: `length`, `control`, `common`, `personal`; undefined for one that
 * may. `own`: texts that others know, such as the address and the names. There is no rule about kinds of characters.
 */
export function passwordFault(
  text: string,
  own: readonly string[],
): 'length' | 'control' | 'common' | 'personal' | undefined {
  if (text.length > MAX_PASSWORD_UNITS) return 'length'
  const password = normalisedPassword(text)
  const { length } = [...password]
  if (length < SHORTEST || length > LONGEST) return 'length'
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(password)) return 'control'
  const wanted = core(password)
  if (COMMON.has(password.toLowerCase()) || COMMON.has(wanted) || isRun(password)) return 'common'
  const known = own.map(core).filter((part) => part.length > 0)
  return known.includes(wanted) ? 'personal' : undefined
}
