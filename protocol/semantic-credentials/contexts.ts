import { extensions } from '../contexts/extensions.ts'
import { CONTEXT } from '../contexts/index.ts'
import type { Json } from '../data-integrity/index.ts'
import { Refusal } from '../errors.ts'
import { listOf } from '../json.ts'
import { tableOf } from '../names.ts'
import { BASE_CONTEXT, type DataModel } from './checks.ts'
import { usesExtensions } from './extensions.ts'
import { type CredentialProofType, proofContext } from './proof-types.ts'

/**
 * Returns the data model that the caller's first context selects. Contexts without a base context are vocabularies, and
 * get that of 1.1, as in the reference. A base context in another place is refused.
 */
export function chooseModel(contexts: unknown[]): { dataModel: DataModel; others: unknown[] } {
  const bases: unknown[] = Object.values(BASE_CONTEXT)
  const misplaced = contexts.findIndex((context, index) => index > 0 && bases.includes(context))
  if (misplaced > 0)
    throw new Refusal('credential.invalid', 'The base context must be the first context; move it to the front.', [
      { path: `/@context/${misplaced}`, code: 'credential.base_context', message: 'must be the first context' },
    ])
  const [first, ...others] = contexts
  if (first === CONTEXT.credentialsV2) return { dataModel: '2.0', others }
  return { dataModel: '1.1', others: first === CONTEXT.credentialsV1 ? others : contexts }
}

/** Our context is second, so that an issuer's own vocabulary may redefine `name`; the proof's context is last. */
export function completeContexts(
  credential: Json,
  others: unknown[],
  dataModel: DataModel,
  { proofType, revocable }: { proofType: CredentialProofType; revocable: boolean },
): unknown[] {
  const ours = usesExtensions(credential, dataModel) ? [extensions] : []
  const status = revocable && dataModel === '1.1' ? [CONTEXT.revocationList2020] : []
  const proof = listOf(proofContext(proofType, dataModel))
  return [...new Set([BASE_CONTEXT[dataModel], ...ours, ...others, ...status, ...proof])]
}

/** The name of the same date in the other data model. */
const OTHER_NAME = tableOf({
  validFrom: 'issuanceDate',
  issuanceDate: 'validFrom',
  validUntil: 'expirationDate',
  expirationDate: 'validUntil',
})

/**
 * Returns the path in the caller's payload for a path in the completed credential: contexts move, dates are renamed.
 */
export function payloadPath(path: string, payload: Json, credential: Json): string {
  const [, member = '', index, ...rest] = path.split('/')
  if (member === '@context' && index !== undefined) {
    const position = listOf(payload[member]).indexOf(listOf(credential[member])[Number(index)])
    if (position < 0) return '/@context'
    const steps = Array.isArray(payload[member]) ? [position, ...rest] : rest
    return ['/@context', ...steps].join('/')
  }
  const otherName = OTHER_NAME.get(member)
  return otherName !== undefined && payload[member] === undefined && payload[otherName] !== undefined
    ? `/${otherName}`
    : path
}
