import { Refusal } from './errors.ts'
import { endOfString, repeatedName } from './json.members.ts'

/**
 * Returns the nesting depth of JSON text, counted on the raw characters before any code recurses into it. Brackets
 * inside strings do not count. For text that is not JSON the number means nothing; JSON.parse refuses it later.
 */
export function jsonDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === 0x22) index = endOfString(text, index)
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (character === 0x7d || character === 0x5d) depth -= 1
  }
  return deepest
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses untrusted JSON bytes: UTF-8 without byte order mark, at most `maxDepth` deep, every name once in its object.
 * Throws `Refusal(code)`.
 */
export function parseForeignJson(
  bytes: Uint8Array,
  { code, maxDepth = 64 }: { code: string; maxDepth?: number },
): unknown {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Refusal(code, 'The document is not UTF-8.')
  }
  if (jsonDepth(text) > maxDepth) throw new Refusal(code, `The document is nested deeper than ${maxDepth} levels.`)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Refusal(code, 'The document is not JSON.')
  }
  const name = repeatedName(text)
  if (name !== undefined) throw new Refusal(code, `The document repeats the member ${name.slice(0, 100)}.`)
  return parsed
}
