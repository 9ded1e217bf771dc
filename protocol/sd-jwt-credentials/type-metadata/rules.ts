import { selectNodes } from '../claim-paths.ts'
import type { ClaimPath } from '../claims.ts'
import type { Fault } from '../faults.ts'
import type { IssuedNode, ProcessedSdJwt } from '../processed.ts'
import type { ResolvedType } from './chain.ts'
import { type ClaimMetadata, invalidType } from './document.ts'

const fault = (code: string, message: string, path: ClaimPath): Fault => ({
  check: 'TypeMetadata',
  code: `sd_jwt.type_${code}`,
  message,
  path: path
    .map(
      (step) =>
        `/${String(step ?? '*')
          .replaceAll('~', '~0')
          .replaceAll('/', '~1')}`,
    )
    .join(''),
})

const isSelective = ({ disclosure, content }: IssuedNode): boolean =>
  disclosure !== undefined || content.kind === 'hidden'

function selectivityFault({ path, sd }: ClaimMetadata, nodes: readonly IssuedNode[]): Fault | undefined {
  if (sd === 'always' && !nodes.every(isSelective))
    return fault('sd_always', 'The type says that the claim is selectively disclosable, and it is not.', path)
  if (sd === 'never' && nodes.some(isSelective))
    return fault(
      'sd_never',
      'The type says that the claim is always disclosed, and it is selectively disclosable.',
      path,
    )
  return undefined
}

/** Nodes of a credential that one check visits at most, each as often as a path leads there. */
const MAX_VISITS = 200_000

/** Counts the nodes that a check visits. Throws `Faulty`. */
function countedVisits(): () => void {
  let visits = 0
  return () => {
    visits += 1
    if (visits > MAX_VISITS)
      throw invalidType('too_complex', 'The type has too many claims for the number of values of the credential.')
  }
}

/**
 * Whether the issuer left out a claim. In an object that has digests without a disclosure nobody can know, since the claim
 * may be behind one of them; of an array each element must have it.
 */
function isLeftOut({ content }: IssuedNode, [step, ...rest]: ClaimPath, visit: () => void): boolean {
  visit()
  if (step === undefined) return false
  if (typeof step === 'string') {
    if (content.kind !== 'object') return false
    const member = content.members.get(step)
    return member ? isLeftOut(member, rest, visit) : content.undisclosed === 0
  }
  if (content.kind !== 'array') return false
  if (step === null) return content.elements.some((element) => isLeftOut(element, rest, visit))
  const element = content.elements[step]
  return element ? isLeftOut(element, rest, visit) : true
}

/**
 * Breaches of a type's rules by a credential, as issued or presented (draft-ietf-oauth-sd-jwt-vc-19, section 4.6). Throws
 * `Faulty` where the check would take too long.
 */
export function typeFaults({ claims }: ResolvedType, { root }: Pick<ProcessedSdJwt, 'root'>): Fault[] {
  const visit = countedVisits()
  return claims.flatMap((claim) => {
    const nodes = selectNodes(root, claim.path, visit)
    if (!nodes) return [fault('path', 'The path of a claim of the type does not fit the credential.', claim.path)]
    const broken = selectivityFault(claim, nodes)
    const missing =
      claim.mandatory && isLeftOut(root, claim.path, visit)
        ? fault('mandatory', 'The type says that the claim is mandatory, and it is not there.', claim.path)
        : undefined
    return [broken, missing].filter((each) => each !== undefined)
  })
}
