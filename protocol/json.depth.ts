import { Refusal } from './errors.ts'
import { jsonShape, repeatedName } from './json.members.ts'
import { toUsableText } from './json.ts'

/** Returns the nesting depth of JSON text, counted before any code recurses into it. */
export const jsonDepth = (text: string): number => jsonShape(text).depth

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** JavaScript cannot convert an object with a member of its own of this name to text: `String(value)` throws. */
const UNREADABLE = 'toString'

/** Whether an object in what was parsed of a text has a member of that name. */
export function hasUnreadable(text: string, parsed: unknown): boolean {
  if (!text.includes(UNREADABLE) && !text.includes('\\u')) return false
  const pending = [parsed]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, UNREADABLE)) return true
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) pending.push(member)
  }
  return false
}

/**
 * Parses untrusted JSON bytes: UTF-8 without byte order mark, at most `maxDepth` deep, with at most `maxValues` values (an
 * object counts for two), every name once in its object, and none that is `toString`. Throws `Refusal(code)`.
 */
export function parseForeignJson(
  bytes: Uint8Array,
  {
    code,
    maxDepth = 64,
    maxValues = Number.POSITIVE_INFINITY,
  }: { code: string; maxDepth?: number; maxValues?: number },
): unknown {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Refusal(code, 'The document is not UTF-8.')
  }
  const { depth, values } = jsonShape(text)
  if (depth > maxDepth) throw new Refusal(code, `The document is nested deeper than ${maxDepth} levels.`)
  if (values > maxValues) throw new Refusal(code, `The document has more than ${maxValues} values.`)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Refusal(code, 'The document is not JSON.')
  }
  const name = repeatedName(text)
  // such messages are stored: of a DID that does not resolve, of a list that cannot be read
  if (name !== undefined)
    throw new Refusal(code, `The document repeats the member ${toUsableText(name.slice(0, 100))}.`)
  if (hasUnreadable(text, parsed)) throw new Refusal(code, `The document has a member ${UNREADABLE}.`)
  return parsed
}
