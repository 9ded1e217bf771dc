import type { ClaimPath } from './claims.ts'
import type { IssuedNode } from './processed.ts'

/**
 * The claims at a path (draft-ietf-oauth-sd-jwt-vc-19, section 4.6.1). An element of an array that is not disclosed is one of
 * them, and nothing is in it. Undefined: a step does not fit what is there, so that the path is an error.
 */
export function selectNodes(root: IssuedNode, path: ClaimPath): IssuedNode[] | undefined {
  let selected = [root]
  for (const step of path) {
    const next: IssuedNode[] = []
    for (const { content } of selected) {
      if (content.kind === 'hidden') continue
      if (typeof step === 'string') {
        if (content.kind !== 'object') return undefined
        const member = content.members.get(step)
        if (member) next.push(member)
      } else {
        if (content.kind !== 'array') return undefined
        const element = step === null ? undefined : content.elements[step]
        next.push(...(step === null ? content.elements : element ? [element] : []))
      }
    }
    selected = next
  }
  return selected
}
