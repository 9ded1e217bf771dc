import { Refusal } from '../errors.ts'
import { selectNodes } from './claim-paths.ts'
import type { ClaimPath } from './claims.ts'
import { Faulty } from './faults.ts'
import { combined } from './issue.ts'
import { type IssuedNode, processSdJwt } from './processed.ts'
import { readSdJwt } from './read.ts'

/** A claim that the holder of a credential may show or hide. */
export interface Choice {
  path: (string | number)[]
  value: unknown
}

interface Located {
  node: IssuedNode
  path: (string | number)[]
  /** The node that it is in. */
  within?: Located
}

function locate(node: IssuedNode, path: (string | number)[] = [], within?: Located): Located[] {
  const own: Located = { node, path, ...(within && { within }) }
  const { content } = node
  if (content.kind === 'object')
    return [own, ...[...content.members].flatMap(([name, member]) => locate(member, [...path, name], own))]
  if (content.kind === 'array')
    return [own, ...content.elements.flatMap((element, index) => locate(element, [...path, index], own))]
  return [own]
}

/** Reads what an issuer handed out. Throws `Refusal('credential.malformed')`. */
function issued(text: string) {
  try {
    const read = readSdJwt(text)
    if (read.keyBinding)
      throw new Refusal('credential.malformed', 'An issuer hands out credentials without a key binding.')
    return { read, ...processSdJwt(read) }
  } catch (error) {
    if (error instanceof Faulty) throw new Refusal('credential.malformed', error.fault.message, [], { cause: error })
    throw error
  }
}

const chainOf = (located: Located): Located[] => [...(located.within ? chainOf(located.within) : []), located]

/** The claims that a holder may show or hide, each with its place. Throws `Refusal('credential.malformed')`. */
export const choicesOf = (text: string): Choice[] =>
  locate(issued(text).root)
    .filter(({ node }) => node.disclosure)
    .map(({ node, path }) => ({ path, value: node.disclosure?.value }))

/**
 * Chooses what a presentation shows (RFC 9901, section 7.2): the claims at these paths with all that is in them, and what
 * they are in. The result ends with a tilde; see `addKeyBinding`. Throws `Refusal('credential.malformed')`, and
 * `Refusal('presentation.claim_missing')` for a path that leads to no claim.
 */
export function presentSdJwt(text: string, paths: readonly ClaimPath[]): string {
  const { read, root } = issued(text)
  const places = locate(root)
  const shown = new Set<string>()
  for (const [at, path] of paths.entries()) {
    const chosen = new Set(selectNodes(root, path) ?? [])
    if (chosen.size === 0)
      throw new Refusal('presentation.claim_missing', 'A path leads to no claim of the credential.', [
        { path: `paths.${at}`, code: 'claim_missing', message: 'expected a path to a claim of the credential' },
      ])
    for (const place of places) {
      const isChosen = chosen.has(place.node)
      const isInside = chainOf(place).some(({ node }) => chosen.has(node))
      if (!isInside) continue
      for (const { node } of isChosen ? chainOf(place) : [place])
        if (node.disclosure) shown.add(node.disclosure.encoded)
    }
  }
  const jwt = read.presented.slice(0, read.presented.indexOf('~'))
  return combined(
    jwt,
    read.disclosures.map(({ encoded }) => encoded).filter((encoded) => shown.has(encoded)),
  )
}
