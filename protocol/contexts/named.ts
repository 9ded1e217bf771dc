import { type Place, pointerTo } from '../json.ts'
import { bundledContexts } from './bundled.ts'
import { isExtensions } from './extensions.ts'

/** A context of a document that is not bundled. */
export interface ForeignContext {
  /** JSON pointer (RFC 6901) of its place in the document. */
  path: string
  /** Its URL; undefined for an inline context. */
  url?: string
  /** The inline context. */
  inline?: object
}

const isForeign = (context: unknown): context is string => typeof context === 'string' && !bundledContexts.has(context)

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Every context URL in a document or a context, at any depth, without the bundled ones. */
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

/** References in a context are relative to its URL (JSON-LD 1.1 API, section 5.1.2). */
export const absolute = (reference: string, base: string): string =>
  URL.canParse(reference, base) ? new URL(reference, base).href : reference

/** The contexts of one `@context`: inline ones, and URLs, also those of single terms. */
function contextsOf(contexts: unknown, place: Place): ForeignContext[] {
  const at = (step: number) => pointerTo(Array.isArray(contexts) ? { step, within: place } : place)
  return [contexts].flat().flatMap((context, index): ForeignContext[] => {
    if (isForeign(context)) return [{ path: at(index), url: context }]
    if (!isPart(context) || isExtensions(context)) return []
    return [{ path: at(index), inline: context }, ...namedContexts(context).map((url) => ({ path: at(index), url }))]
  })
}

/** The contexts of a document in their order, without our own and the bundled ones. */
export function contextsIn(document: object): ForeignContext[] {
  const contexts: ForeignContext[] = []
  const pending: [value: object, place?: Place][] = [[document]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, within] = next
    const parts: typeof pending = []
    for (const [step, member] of Object.entries(value)) {
      if (step === '@context') for (const each of contextsOf(member, { step, within })) contexts.push(each)
      else if (isPart(member)) parts.push([member, { step, within }])
    }
    // the first one is the next
    for (const part of parts.reverse()) pending.push(part)
  }
  return contexts
}
