import { excerpt } from '../../errors.ts'
import { listOf } from '../../json.ts'
import type { Warning } from '../warnings.ts'
import { expectedDomains, type PresentationToVerify, signaturesOf } from './checks.ts'
import type { PresentationVerdict } from './verify.ts'

export interface WarnedPresentationVerdict extends PresentationVerdict {
  /** What the verdict does not cover; warnings do not change `verified`. */
  warnings: Warning[]
}

/** Without an expected challenge, a presentation may be a copy of one for another verifier (VC-DI 1.0, 4.4). */
function answerWarnings(request: PresentationToVerify): Warning[] {
  const [first] = signaturesOf(request)
  if (!first) return []
  const { proof, pathOf } = first
  const unchecked = (type: Warning['type'], member: 'challenge' | 'domain'): Warning => ({
    type,
    message: `The ${member} ${excerpt(proof[member])} of the proof is unchecked: the call names no expected ${member}.`,
    path: pathOf(member),
  })
  return [
    ...(request.challenge === undefined && !request.requireChallenge
      ? [unchecked('ChallengeUnchecked', 'challenge')]
      : []),
    ...(expectedDomains(request).length === 0 && !request.requireDomain
      ? [unchecked('DomainUnchecked', 'domain')]
      : []),
  ]
}

/** A query without contexts trusts the presenter's contexts for the meaning of its names (D-133). */
const queryWarnings = ({ asked }: PresentationToVerify): Warning[] =>
  asked
    .flatMap(({ queries }) => queries)
    .flatMap(({ credentialQuery }) => credentialQuery)
    .filter(({ pattern }) => listOf(pattern['@context']).length === 0)
    .map(({ path }) => ({
      type: 'QueryWithoutContext',
      message: 'The query has no context, so the contexts of the presenter define the meaning of its names.',
      path,
    }))

/** What the verdict on a presentation does not cover, without contexts. */
export const presentationWarnings = (request: PresentationToVerify): Warning[] => [
  ...answerWarnings(request),
  ...queryWarnings(request),
]
