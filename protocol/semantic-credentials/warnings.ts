import type { RelatedResource } from '../contexts/digests.ts'
import { bundledContexts } from '../contexts/index.ts'
import type { ForeignContext } from '../contexts/named.ts'
import { isBaseProof, isSelective, type Json, suiteOfProof } from '../data-integrity/index.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { boundsErrors } from './bounds.ts'
import { isUri } from './checks.ts'
import type { Reason } from './reasons.ts'
import type { Verdict } from './verify.ts'

/** What a verdict does not cover, as `warnings[].type` names it. */
const WARNINGS = [
  'UntrustedContext',
  'UncheckedResource',
  'UndisclosedMembers',
  'KeyBindingNotChecked',
  'QueryWithoutContext',
  'ChallengeUnchecked',
  'DomainUnchecked',
] as const
export type WarningType = (typeof WARNINGS)[number]

export interface Warning {
  type: WarningType
  message: string
  /** JSON pointer into the verified document, or the path in a query. */
  path?: string
  /** URL of a context, or the id of a resource. */
  url?: string
}

/** Of a credential whose holder may have left out members of it: dates and a status of the issuer could be among them. */
export const UNDISCLOSED: Warning = {
  type: 'UndisclosedMembers',
  message:
    'The credential has digests of members that are not disclosed. Whether it has a status or dates among them is not known.',
  path: '',
}

const isDerived = (proof: unknown): boolean => {
  const suite = isObject(proof) ? suiteOfProof(proof) : undefined
  return suite !== undefined && isSelective(suite) && isObject(proof) && !isBaseProof(proof)
}

/** A derived proof does not tell what its holder left out, nor what its issuer made mandatory (D-1176). */
export function derivedWarnings(credential: Json): Warning[] {
  const { proof, credentialStatus, validUntil, expirationDate } = credential
  const lacking = [
    ...(credentialStatus === undefined ? ['a status'] : []),
    ...(validUntil === undefined && expirationDate === undefined ? ['an end'] : []),
  ]
  if (lacking.length === 0 || !listOf(proof).some(isDerived)) return []
  const message = `Its holder chose what the credential discloses, so whether it has ${lacking.join(' or ')} is not known.`
  return [{ type: 'UndisclosedMembers', message, path: '' }]
}

/** Of a credential that is bound to a key, where nothing shows that its holder sends it (D-859). */
export const KEY_BINDING_NOT_CHECKED: Warning = {
  type: 'KeyBindingNotChecked',
  message:
    'The credential names the key of its holder, and no key binding was checked: whoever sent it may have a copy.',
  path: '/cnf',
}

export interface WarnedVerdict extends Verdict {
  /** What the verdict does not cover; warnings do not change `verified`. */
  warnings: Warning[]
}

/** Contexts that a verifier trusts in addition to the bundled and the registered ones: URLs, or inline contexts. */
export type TrustedContexts = (string | Json)[]

const MAX_TRUSTED = 100

/** Returns the errors in a list of trusted contexts, each with its path in the request's body. */
export function trustedContextsErrors(trusted: unknown): FieldError[] {
  const path = 'trustedContexts'
  if (!Array.isArray(trusted) || trusted.length > MAX_TRUSTED)
    return [{ path, code: 'list', message: `expected a list of at most ${MAX_TRUSTED} contexts` }]
  if (boundsErrors(trusted).length > 0)
    return [{ path, code: 'bounds', message: 'expected smaller contexts: they have too many levels or members' }]
  return trusted.flatMap((each: unknown, index) =>
    isUri(each) || isObject(each)
      ? []
      : [{ path: `${path}.${index}`, code: 'context', message: 'expected the URL of a context, or a context object' }],
  )
}

/** Throws `Refusal('request.invalid')` for an invalid list. */
export function assertTrustedContexts(trusted: TrustedContexts | undefined): void {
  const errors = trusted === undefined ? [] : trustedContextsErrors(trusted)
  if (errors.length > 0) throw new Refusal('request.invalid', 'trustedContexts is not valid; see errors.', errors)
}

/** Returns a check whether every list has a context: by its URL, or an inline one word for word. */
export function trustOf(lists: TrustedContexts[]): (context: ForeignContext) => boolean {
  // sets: a document may have ten thousand contexts, and each list a hundred
  const trustedTexts = lists.map((trusted) => new Set(trusted.map((each) => JSON.stringify(each))))
  return ({ url, inline }) => {
    const text = JSON.stringify(url ?? inline)
    return trustedTexts.every((texts) => texts.has(text))
  }
}

/** Warnings about single contexts at most; the rest is counted in one. */
const MAX_NAMED = 20

const about = ({ path, url }: ForeignContext): string =>
  url === undefined ? `The inline context at ${path.slice(0, 200)}` : `The context ${url.slice(0, 200)}`

const warningsAbout = (contexts: ForeignContext[], end: string, beyond: number): Warning[] => {
  const more = contexts.length - MAX_NAMED
  const warnings = contexts.slice(0, MAX_NAMED).map((context): Warning => {
    const { path, url } = context
    return { type: 'UntrustedContext', message: `${about(context)} ${end}`, path, ...(url !== undefined && { url }) }
  })
  if (more > 0) warnings.push({ type: 'UntrustedContext', message: `${more} more contexts are not trusted either.` })
  if (beyond > 0)
    warnings.push({
      type: 'UntrustedContext',
      message: `The document names too many contexts: ${beyond} more were not looked at.`,
    })
  return warnings
}

/**
 * A proof signs statements, not the contexts that turn members into statements: a holder may replace terms by others
 * with the same statements, so that the members say something else (D-130). `beyond`: how many more were not looked at.
 */
export const contextWarnings = (contexts: ForeignContext[], beyond = 0): Warning[] =>
  warningsAbout(
    contexts,
    'is neither bundled nor registered: its author defines its terms, and no proof signs them.',
    beyond,
  )

/** The same contexts as reasons, for a verifier with a list of trusted contexts. */
export const contextReasons = (contexts: ForeignContext[], beyond = 0): Reason[] =>
  warningsAbout(contexts, 'is not trusted.', beyond).map(({ message }) => ({ type: 'UntrustedContext', message }))

/** Related resources whose digests were not compared with any bytes (VC Data Model 2.0, section 5.3). */
export function resourceWarnings(resources: RelatedResource[]): Warning[] {
  const more = resources.length - MAX_NAMED
  const warnings = resources.slice(0, MAX_NAMED).map(({ path, id }): Warning => {
    const cause = bundledContexts.has(id)
      ? 'is bundled, but the bytes of its published file are not known, so its digest was not checked.'
      : 'was not fetched, so its digest was not checked.'
    return { type: 'UncheckedResource', message: `The related resource ${id.slice(0, 200)} ${cause}`, path, url: id }
  })
  if (more > 0)
    warnings.push({ type: 'UncheckedResource', message: `${more} more related resources were not checked.` })
  return warnings
}
