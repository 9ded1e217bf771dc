import type { Schemas } from '../../../client/index.ts'
import { Inexact, type JsonRules, parseTyped } from '../../frame/forms/typed.ts'

type Format = Schemas['CredentialFormatName']

/** Prefixes of compact credentials. */
const PREFIXES = [
  ['CSC:/', 'compact'],
  ['CSS:/', 'compact-semantic'],
] as const satisfies [string, Format][]

/** The format of a credential as text; undefined: it has the form of none. */
export function formatOf(text: string): Format | undefined {
  if (text.startsWith('{')) return 'web-semantic'
  const prefixed = PREFIXES.find(([prefix]) => text.toUpperCase().startsWith(prefix))
  if (prefixed) return prefixed[1]
  if (text.includes('~') && text.split('.').length >= 3) return 'sd-jwt-vc'
  return /^[\w-]+$/.test(text) ? 'mobile' : undefined
}

/** Thrown for what cannot be read at all; its message is a text of the page. */
export class Unreadable extends Error {}

/** As the formats' operations answer a credential, so that each verifies what it stores and what is handed to it. */
export function documentOf(format: Format, text: string, { rule, inexact }: JsonRules): object {
  if (format !== 'web-semantic') return { encoded: text }
  try {
    return { credential: parseTyped(text) }
  } catch (error) {
    if (error instanceof Inexact) throw new Unreadable(`${inexact} ${error.literal}`)
    if (error instanceof SyntaxError) throw new Unreadable(rule)
    throw error
  }
}
