import { listOf } from '../../json.ts'
import type { Warning } from '../warnings.ts'
import { expectedDomains, type PresentationToVerify, proofsOf, shown } from './checks.ts'
import type { PresentationVerdict } from './verify.ts'

export interface WarnedPresentationVerdict extends PresentationVerdict {
  /** What the verdict does not vouch for; it changes nothing about `verified`. */
  warnings: Warning[]
}

/** A presentation that answers nobody's challenge may be a copy of one that was made for somebody else (VC-DI 1.0, 4.4). */
function answerWarnings(request: PresentationToVerify): Warning[] {
  const [first] = proofsOf(request.presentation)
  if (!first) return []
  const { proof, path } = first
  const unchecked = (type: Warning['type'], member: 'challenge' | 'domain'): Warning => ({
    type,
    message: `The ${member} ${shown(proof[member])} is taken from the proof and unchecked: nobody said which one is expected.`,
    path: `${path}/${member}`,
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

/** A query by names alone believes the presenter's contexts what they mean (D-133). */
const queryWarnings = ({ asked }: PresentationToVerify): Warning[] =>
  asked
    .flatMap(({ queries }) => queries)
    .flatMap(({ credentialQuery }) => credentialQuery)
    .filter(({ pattern }) => listOf(pattern['@context']).length === 0)
    .map(({ path }) => ({
      type: 'QueryWithoutContext',
      message: 'The query names no context: what its names mean is what the contexts of the presenter say.',
      path,
    }))

/** What the verdict on a presentation does not vouch for, contexts aside. */
export const presentationWarnings = (request: PresentationToVerify): Warning[] => [
  ...answerWarnings(request),
  ...queryWarnings(request),
]
