import type { ClaimPath } from './claims.ts'
import type { IssuedNode } from './processed.ts'

/**
 * The claims at a path (draft-ietf-oauth-sd-jwt-vc-19, section 4.6.1). An element of an array that is not disclosed is one of
 * them, and nothing is in it. Undefined: a step does not fit what is there, so that the path is an error. `visit` is told of
 * each node, and may throw where there are too many.
 */
export function selectNodes(root: IssuedNode, path: ClaimPath, visit?: () => void): IssuedNode[] | undefined {
  let selected = [root]
  for (const step of path) {
    const next: IssuedNode[] = []
    const select = (node: IssuedNode) => {
      visit?.()
      next.push(node)
    }
    for (const { content } of selected) {
      if (content.kind === 'hidden') continue
      if (typeof step === 'string') {
        if (content.kind !== 'object') return undefined
        const member = content.members.get(step)
        if (member) select(member)
      } else {
        if (content.kind !== 'array') return undefined
        // one by one: a call takes only so many arguments
        for (const element of step === null ? content.elements : content.elements.slice(step, step + 1)) select(element)
      }
    }
    selected = next
  }
  return selected
}
