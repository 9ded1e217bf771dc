import { isExtensions } from '../../protocol/contexts/extensions.ts'
import { bundledContexts } from '../../protocol/contexts/index.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { isObject } from '../../protocol/json.ts'

/**
 * What the main thread may process: within these bounds the worst document that we could make held it for 20 ms, an
 * everyday one for half a millisecond. A type may bring a context of its own for each node that has it, so nodes and
 * values cost more than characters do. `ownTerms` are those that the document defines itself.
 */
const LIGHT = { characters: 16_000, nodes: 24, members: 120, contexts: 6, ownTerms: 100 } as const

/** Keywords that bring no other context: not `@import`, `@propagate` or a nested `@context`. */
const CONTEXT_KEYWORDS = ['@version', '@vocab', '@language', '@protected']
const TERM_KEYWORDS = ['@id', '@type', '@container', '@language', '@protected']

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item === 'string') : !isObject(value)

/**
 * A context whose cost is its length: terms with an IRI, a type or a container. A term with a context of its own is
 * none of these: a thousand of them, in 82 kB, cost seconds.
 */
const isFlat = (context: Json): boolean =>
  Object.entries(context).every(([term, value]) => {
    if (term.startsWith('@')) return CONTEXT_KEYWORDS.includes(term) && isPlain(value)
    if (!isObject(value)) return isPlain(value)
    return Object.entries(value).every(([keyword, member]) => TERM_KEYWORDS.includes(keyword) && isPlain(member))
  })

function areLight(contexts: unknown[]): boolean {
  if (contexts.length > LIGHT.contexts) return false
  let terms = 0
  for (const context of contexts) {
    if (typeof context === 'string') {
      if (!bundledContexts.has(context)) return false
    } else if (!isObject(context)) return false
    // our own context has a nested one, whose cost is known
    else if (!isExtensions(context)) {
      if (!isFlat(context)) return false
      terms += Object.keys(context).length
    }
  }
  return terms <= LIGHT.ownTerms
}

/**
 * Whether the main thread may process a document: small, with bundled contexts or flat ones of its own, and none below
 * its top (a proof is processed by itself, and so has a top of its own).
 */
export function isLight(document: Json): boolean {
  const tops: unknown[] = [document, document.proof]
  const pending: object[] = [document]
  let [nodes, members] = [0, 0]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isObject(value) && ++nodes > LIGHT.nodes) return false
    for (const [key, member] of Object.entries(value)) {
      if (++members > LIGHT.members) return false
      if (key === '@context') {
        if (!tops.includes(value) || !areLight([member].flat())) return false
      } else if (typeof member === 'object' && member !== null) pending.push(member)
    }
  }
  return JSON.stringify(document).length <= LIGHT.characters
}
