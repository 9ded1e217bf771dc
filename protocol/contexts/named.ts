import { type Place, pointerTo } from '../json.ts'
import { bundledContexts } from './bundled.ts'
import { isExtensions } from './extensions.ts'

/** A context that a document brings and that is not bundled. */
export interface ForeignContext {
  /** JSON pointer (RFC 6901) of where the document names or holds it. */
  path: string
  /** Its address; undefined for one that stands in the document itself. */
  url?: string
  /** The context, where it stands in the document. */
  inline?: object
}

const isForeign = (context: unknown): context is string => typeof context === 'string' && !bundledContexts.has(context)

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Every address that a document or a context names as a context, wherever it stands, without the bundled ones. */
export function namedContexts(value: object): string[] {
  const urls = new Set<string>()
  const pending: object[] = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, member] of Object.entries(next)) {
      if (key === '@context') for (const each of [member].flat()) if (isForeign(each)) urls.add(each)
      if (isPart(member)) pending.push(member)
    }
  }
  return [...urls]
}

/** References in a context are relative to its address (JSON-LD 1.1 API, section 5.1.2). */
export const absolute = (reference: string, base: string): string =>
  URL.canParse(reference, base) ? new URL(reference, base).href : reference

/** The contexts of one `@context`: what stands there, and what is named there, also for single terms. */
function contextsOf(contexts: unknown, place: Place): ForeignContext[] {
  const at = (step: number) => pointerTo(Array.isArray(contexts) ? { step, within: place } : place)
  return [contexts].flat().flatMap((context, index): ForeignContext[] => {
    if (isForeign(context)) return [{ path: at(index), url: context }]
    if (!isPart(context) || isExtensions(context)) return []
    return [{ path: at(index), inline: context }, ...namedContexts(context).map((url) => ({ path: at(index), url }))]
  })
}

/** What a document brings of contexts, in the order of the document; ours and the bundled ones are nobody's news. */
export function contextsIn(document: object): ForeignContext[] {
  const found: ForeignContext[] = []
  const pending: [value: object, place?: Place][] = [[document]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, within] = next
    const before = pending.length
    for (const [step, member] of Object.entries(value)) {
      if (step === '@context') found.push(...contextsOf(member, { step, within }))
      else if (isPart(member)) pending.splice(before, 0, [member, { step, within }])
    }
  }
  return found
}
