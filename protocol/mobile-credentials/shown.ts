import { type Cbor, isCborMap, isTag } from '../cose/cbor.ts'
import { setOwnMember } from '../names.ts'

/** A CBOR value as JSON: bytes as base64url, dates as their texts. */
export function toJson(value: Cbor): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url')
  if (isTag(value)) return toJson(value.contents as Cbor)
  if (Array.isArray(value)) return value.map(toJson)
  if (isCborMap(value)) {
    const object: Record<string, unknown> = {}
    for (const [name, member] of value) setOwnMember(object, String(name), toJson(member))
    return object
  }
  return typeof value === 'bigint' ? value.toString() : (value ?? null)
}

/** Elements by namespace, as JSON. */
export function nameSpacesToJson(spaces: ReadonlyMap<string, ReadonlyMap<string, Cbor>>) {
  const shown: Record<string, Record<string, unknown>> = {}
  for (const [namespace, elements] of spaces)
    setOwnMember(shown, namespace, toJson(new Map(elements)) as Record<string, unknown>)
  return shown
}
