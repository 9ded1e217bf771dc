import { extensions } from '../contexts/extensions.ts'
import { CONTEXT } from '../contexts/index.ts'
import { type Json, type ProofType, suiteOf } from '../data-integrity/index.ts'
import { Refusal } from '../errors.ts'
import { listOf } from '../json.ts'
import { tableOf } from '../names.ts'
import { BASE_CONTEXT, type DataModel } from './checks.ts'
import { usesExtensions } from './extensions.ts'

/**
 * The caller's first context chooses the data model. A list without any base context is one of vocabularies only, and
 * gets that of 1.1, as the reference does; a base context in another place is a mistake.
 */
export function chooseModel(contexts: unknown[]): { dataModel: DataModel; others: unknown[] } {
  const bases: unknown[] = Object.values(BASE_CONTEXT)
  const misplaced = contexts.findIndex((context, index) => index > 0 && bases.includes(context))
  if (misplaced > 0)
    throw new Refusal('credential.invalid', 'A base context must be the first context.', [
      { path: `/@context/${misplaced}`, code: 'credential.base_context', message: 'must be the first context' },
    ])
  const [first, ...others] = contexts
  if (first === CONTEXT.credentialsV2) return { dataModel: '2.0', others }
  return { dataModel: '1.1', others: first === CONTEXT.credentialsV1 ? others : contexts }
}

/** Ours stands second, so that an issuer's own vocabulary may still say what `name` is; what the proof needs stands last. */
export function completeContexts(
  credential: Json,
  others: unknown[],
  dataModel: DataModel,
  { proofType, revocable }: { proofType: ProofType; revocable: boolean },
): unknown[] {
  const ours = usesExtensions(credential, dataModel) ? [extensions] : []
  const status = revocable && dataModel === '1.1' ? [CONTEXT.revocationList2020] : []
  const proof = listOf(suiteOf(proofType).context?.[dataModel])
  return [...new Set([BASE_CONTEXT[dataModel], ...ours, ...others, ...status, ...proof])]
}

/** Of the two data models for one date. */
const OTHER_NAME = tableOf({
  validFrom: 'issuanceDate',
  issuanceDate: 'validFrom',
  validUntil: 'expirationDate',
  expirationDate: 'validUntil',
})

/** Turns the path of a breach in the completed credential into the caller's: contexts move, dates change their name. */
export function givenPath(path: string, given: Json, credential: Json): string {
  const [, member = '', index] = path.split('/')
  if (member === '@context' && index !== undefined) {
    const position = listOf(given[member]).indexOf(listOf(credential[member])[Number(index)])
    return position < 0 ? '/@context' : `/@context/${position}`
  }
  const otherName = OTHER_NAME.get(member)
  return otherName !== undefined && given[member] === undefined && given[otherName] !== undefined
    ? `/${otherName}`
    : path
}
