import type { ForeignContext } from '../contexts/named.ts'
import type { Json } from '../data-integrity/index.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject } from '../json.ts'
import { boundsErrors } from './bounds.ts'
import { isUri } from './checks.ts'
import type { Reason } from './reasons.ts'
import type { Verdict } from './verify.ts'

/** What a verdict does not vouch for, by the name that `warnings[].type` carries. */
const WARNINGS = ['UntrustedContext', 'QueryWithoutContext', 'ChallengeUnchecked', 'DomainUnchecked'] as const
export type WarningType = (typeof WARNINGS)[number]

export interface Warning {
  type: WarningType
  message: string
  /** JSON pointer into what was verified, or the place in a query. */
  path?: string
  /** Address of a context. */
  url?: string
}

export interface WarnedVerdict extends Verdict {
  /** What the verdict does not vouch for; it changes nothing about `verified`. */
  warnings: Warning[]
}

/** Contexts that a verifier trusts besides the bundled and the registered ones: by address, or as they stand in a document. */
export type TrustedContexts = (string | Json)[]

const MAX_TRUSTED = 100

/** What is wrong with a list of trusted contexts, each with its path in the request's body. */
export function trustedContextsErrors(trusted: unknown): FieldError[] {
  const path = 'trustedContexts'
  if (!Array.isArray(trusted) || trusted.length > MAX_TRUSTED)
    return [{ path, code: 'list', message: `expected a list of at most ${MAX_TRUSTED} contexts` }]
  if (boundsErrors(trusted).length > 0) return [{ path, code: 'bounds', message: 'expected contexts, not larger ones' }]
  return trusted.flatMap((each: unknown, index) =>
    isUri(each) || isObject(each)
      ? []
      : [{ path: `${path}.${index}`, code: 'context', message: 'expected the URL of a context, or a context object' }],
  )
}

/** Throws `Refusal('request.invalid')` for a list that is none. */
export function assertTrustedContexts(trusted: TrustedContexts | undefined): void {
  const errors = trusted === undefined ? [] : trustedContextsErrors(trusted)
  if (errors.length > 0) throw new Refusal('request.invalid', 'trustedContexts is not usable; see errors.', errors)
}

/** Whether every list has a context: by its address, or word for word where it stands in the document. */
export function trustOf(lists: TrustedContexts[]): (context: ForeignContext) => boolean {
  // a document may hold ten thousand contexts, and each list a hundred
  const known = lists.map((trusted) => new Set(trusted.map((each) => JSON.stringify(each))))
  return ({ url, inline }) => {
    const text = JSON.stringify(url ?? inline)
    return known.every((texts) => texts.has(text))
  }
}

/** Enough to see what a document is made of; a thousand inline contexts are counted. */
const MAX_NAMED = 20

const about = ({ path, url }: ForeignContext): string =>
  url === undefined ? `The context that stands at ${path.slice(0, 200)}` : `The context ${url.slice(0, 200)}`

const warningsAbout = (contexts: ForeignContext[], end: string): Warning[] => {
  const more = contexts.length - MAX_NAMED
  const warnings = contexts.slice(0, MAX_NAMED).map((context): Warning => {
    const { path, url } = context
    return { type: 'UntrustedContext', message: `${about(context)} ${end}`, path, ...(url !== undefined && { url }) }
  })
  if (more > 0) warnings.push({ type: 'UntrustedContext', message: `${more} further contexts are like these.` })
  return warnings
}

/**
 * A proof signs statements, and not the contexts that turn members into them: whoever holds a document may exchange terms
 * for others with the same statements, and its members say something else (D-130).
 */
export const contextWarnings = (contexts: ForeignContext[]): Warning[] =>
  warningsAbout(
    contexts,
    'is neither bundled nor registered: what its terms mean is what its author says, and no proof signs them.',
  )

/** The same contexts where the verifier said which ones it trusts. */
export const contextReasons = (contexts: ForeignContext[]): Reason[] =>
  warningsAbout(contexts, 'is not one that is trusted.').map(({ message }) => ({ type: 'UntrustedContext', message }))
