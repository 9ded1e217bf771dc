import type { Refusal } from '../../errors.ts'
import { unsignedErrors } from '../unsigned.ts'
import { challengeChecks, domainChecks, queryChecks, requestChecks } from './answers.ts'
import { type Check, failed, PRESENTATION_CHECKS, type PresentationToVerify, passed, skipped } from './checks.ts'
import { credentialChecks } from './credentials.ts'
import { bindingChecks, holderChecks, proofChecks } from './holder.ts'
import { modelOfPresentation, ownErrors } from './index.ts'

export interface PresentationVerdict {
  verified: boolean
  /** The first check that failed, its path and its evidence; empty when verified. */
  reason: string
  checks: Check[]
}

type Rule = (request: PresentationToVerify) => Check[] | Promise<Check[]>

/** In the order of `PRESENTATION_CHECKS`. */
const RULES: Rule[] = [
  challengeChecks,
  domainChecks,
  requestChecks,
  proofChecks,
  holderChecks,
  credentialChecks,
  bindingChecks,
  queryChecks,
]

function formChecks({ presentation, envelope, untrusted = [] }: PresentationToVerify): Check[] {
  const model = modelOfPresentation(presentation)
  if (envelope && model !== '2.0')
    return [failed('form', 'Only presentations of data model 2.0 come in envelopes.', '/@context/0')]
  const { verifiableCredential: _, ...own } = presentation
  const errors = [...ownErrors(presentation, model), ...unsignedErrors(own, { sign: false })]
  if (errors.length > 0) return errors.slice(0, 10).map(({ path, message }) => failed('form', message, path || '/'))
  if (untrusted.length > 0)
    return untrusted.map(({ type, message }) => failed('form', `${type}: ${message}`, '/@context'))
  return [passed('form', `The presentation has the form of data model ${model}.`)]
}

export const verdictOf = (checks: Check[]): PresentationVerdict => {
  const first = checks.find(({ outcome }) => outcome === 'failed')
  const where = first?.path === undefined ? '' : ` at ${first.path}`
  return { verified: !first, reason: first ? `${first.check}${where}: ${first.evidence}` : '', checks }
}

const afterForm = (form: Check[]): PresentationVerdict => {
  const rest = PRESENTATION_CHECKS.filter((check) => check !== 'form')
  return verdictOf([...form, ...rest.map((check) => skipped(check, 'The form of the presentation is not valid.'))])
}

/** The verdict on a presentation whose envelope cannot be opened. */
export const unopened = ({ code, message }: Pick<Refusal, 'code' | 'message'>): PresentationVerdict =>
  afterForm([failed('form', `${code}: ${message}`, '/id')])

/**
 * Verifies a presentation of any holder: form, challenge, domain, request, holder proof, each credential, binding and
 * query (specification, verifyWebSemanticPresentationTemplate). Throws only `Refusal('credential.too_complex')`, and
 * errors of our own parts.
 */
export async function verifyPresentation(request: PresentationToVerify): Promise<PresentationVerdict> {
  const form = formChecks(request)
  if (form.some(({ outcome }) => outcome === 'failed')) return afterForm(form)
  const checks = [...form]
  for (const rule of RULES) checks.push(...(await rule(request)))
  return verdictOf(checks)
}
