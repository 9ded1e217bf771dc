import { bundledContexts } from '../../protocol/contexts/index.ts'
import type { Json } from '../../protocol/data-integrity.ts'

/** JSON characters up to which a document is processed on the main thread: well under a millisecond of work. */
const MAX_LIGHT = 16_000

/** Every context of a document, wherever it stands. */
function* contextsOf(document: object): Generator<unknown> {
  const pending: object[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '@context') yield* [member].flat()
      else if (typeof member === 'object' && member !== null) pending.push(member)
    }
  }
}

const MAX_INLINE_TERMS = 64

/** A context inside the document that only names terms: no context of a context, nothing imported, bounded. */
const namesTerms = (context: unknown): boolean =>
  typeof context === 'object' &&
  context !== null &&
  Object.keys(context).length <= MAX_INLINE_TERMS &&
  Object.entries(context).every(
    ([term, value]) =>
      (term === '@version' || term === '@vocab' || !term.startsWith('@')) &&
      (typeof value !== 'object' || (value !== null && !('@context' in value))),
  )

/**
 * Whether the main thread may process a document: small, and with contexts that are compiled in or
 * name a few terms in place. Their cost is known;
 * a stranger's context of the same size can take seconds (pitfalls 4).
 */
export function isLight(document: Json): boolean {
  for (const context of contextsOf(document)) {
    if (typeof context === 'string' ? !bundledContexts.has(context) : !namesTerms(context)) return false
  }
  return JSON.stringify(document).length <= MAX_LIGHT
}

/** URLs of the contexts that are not bundled. */
export const foreignContexts = (document: Json): string[] =>
  [
    ...new Set(
      [...contextsOf(document)].filter((context) => typeof context === 'string' && !bundledContexts.has(context)),
    ),
  ] as string[]
