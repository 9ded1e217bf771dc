import type { PublicJwk } from '../../dids/jwk.ts'
import { type FieldError, Refusal, withArticle } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import { type DisclosurePlan, planErrors } from '../../sd-jwt-credentials/build.ts'
import type { ClaimPath } from '../../sd-jwt-credentials/claims.ts'
import { holderKeyErrors } from '../../sd-jwt-credentials/keys.ts'
import { unfitting } from '../../sd-jwt-credentials/plan-fit.ts'
import type { CredentialProofType } from '../proof-types.ts'

/** What a caller says of a credential as vc+sd-jwt. */
export interface DisclosureTerms {
  /** Paths in the credential that its holder may leave out. Default: every claim of its subjects. */
  selectively?: unknown[][]
  /** Digests that stand for no claim, in each subject. */
  decoys?: number
  /** The key of the holder, which the credential is bound to. */
  holderKey?: PublicJwk
}

/** Of members that a request, a row or a template may leave out, or have as null. */
export const disclosureTerms = ({
  selectively,
  decoys,
  holderKey,
}: { [Member in keyof DisclosureTerms]?: DisclosureTerms[Member] | null }): DisclosureTerms => ({
  ...(selectively && { selectively }),
  ...(typeof decoys === 'number' && { decoys }),
  ...(holderKey && { holderKey }),
})

/** Members by which a verifier judges a credential: whoever presents it may leave out none of them, nor a part. */
export const ALWAYS: ReadonlySet<unknown> = new Set([
  '@context',
  'type',
  'issuer',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'credentialStatus',
  'credentialSchema',
  'relatedResource',
  'termsOfUse',
  'proof',
])

/** Members that say at any depth what the others mean. */
const isMeaning = (step: unknown): boolean => step === 'type' || (typeof step === 'string' && step.startsWith('@'))

/** Members of a subject that are its claims. */
const claimsIn = (subject: unknown): string[] =>
  isObject(subject) ? Object.keys(subject).filter((name) => name !== 'id' && !isMeaning(name)) : []

const SUBJECT = 'credentialSubject'

function neverFault(path: readonly unknown[]): string | undefined {
  const [first, ...rest] = path
  if (ALWAYS.has(first)) return `${String(first)} must not be selectively disclosable`
  const meaning = path.find(isMeaning)
  if (meaning !== undefined) return `${String(meaning).slice(0, 100)} says what the other members mean`
  if (first === SUBJECT && rest.every((step) => typeof step !== 'string'))
    return 'a credential without its subject is none'
  return undefined
}

/** Errors of a plan, with the names that a caller knows its paths by. */
const named = (errors: readonly FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, path: error.path.replace(/^selective\b/, 'selectively') }))

/** What forbids that members of a credential are selectively disclosable; paths as `selectively.2`. */
export function selectiveErrors({ selectively = [], decoys = 0 }: DisclosureTerms): FieldError[] {
  if (!Array.isArray(selectively))
    return [{ path: 'selectively', code: 'disclosure.path', message: 'expected a list of claim paths' }]
  const plan = { selective: selectively as ClaimPath[], decoys }
  const wrong = named(planErrors(plan))
  if (wrong.length > 0) return wrong
  return selectively.flatMap((path, place): FieldError[] => {
    const fault = neverFault(path)
    const message = `expected another member: ${fault}`
    return fault === undefined ? [] : [{ path: `selectively.${place}`, code: 'disclosure.never', message }]
  })
}

const MEMBERS = ['selectively', 'decoys', 'holderKey'] as const

/** Errors of terms that a proof type does not have. */
export const unusableTerms = (proofType: CredentialProofType, terms: DisclosureTerms): FieldError[] =>
  proofType === 'vc+sd-jwt'
    ? []
    : MEMBERS.filter((name) => terms[name] !== undefined).map((path) => ({
        path,
        code: 'selective',
        message: `expected only with vc+sd-jwt: ${withArticle(proofType)} credential has none`,
      }))

const paths = (credential: Json, { selectively }: DisclosureTerms): ClaimPath[] => {
  if (selectively) return selectively as ClaimPath[]
  const subject = credential[SUBJECT]
  if (!Array.isArray(subject)) return claimsIn(subject).map((name) => [SUBJECT, name])
  return subject.flatMap((each, index) => claimsIn(each).map((name) => [SUBJECT, index, name]))
}

/** Paths that lead to no claim of a request, or for a template to a value of another kind: they would hide nothing. */
const fitErrors = (credential: Json, selective: ClaimPath[], areOptional: boolean): FieldError[] =>
  named(unfitting(credential, { selective }, areOptional))

/**
 * What a holder may leave out of a credential. `areOptional`: the terms are of a template, whose claims need not be there.
 * Throws `Refusal('request.invalid')` for terms that the proof type does not have, and `Refusal('credential.invalid')` for
 * others, whose errors name the member.
 */
export function disclosurePlan(
  credential: Json,
  proofType: CredentialProofType,
  terms: DisclosureTerms,
  { areOptional = false, holderField = 'holderKey' }: { areOptional?: boolean; holderField?: string } = {},
): DisclosurePlan {
  const unusable = unusableTerms(proofType, terms)
  if (unusable.length > 0)
    throw new Refusal('request.invalid', 'Only vc+sd-jwt has claims that are disclosed selectively.', unusable)
  if (proofType !== 'vc+sd-jwt') return { selective: [] }
  const wrong = [...selectiveErrors(terms), ...holderKeyErrors(terms.holderKey, holderField)]
  const selective = paths(credential, terms)
  const errors = wrong.length > 0 || !terms.selectively ? wrong : fitErrors(credential, selective, areOptional)
  if (errors.length > 0)
    throw new Refusal('credential.invalid', 'The credential cannot be disclosed selectively like this.', errors)
  const count = terms.decoys ?? 0
  const of = Array.isArray(credential[SUBJECT]) ? [SUBJECT, null] : [SUBJECT]
  return { selective, ...(count > 0 && { decoysAt: [{ path: of, count }] }) }
}
