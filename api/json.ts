import { visit } from 'jsonc-parser'
import { Refusal } from '../protocol/errors.ts'

export const MAX_DEPTH = 64

const QUOTE = 34
const BACKSLASH = 92

/** Depth of nesting, counted on the text: nothing may recurse over a tree that was not measured. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++
    } else if (char === 91 || char === 123) {
      if (++depth > MAX_DEPTH) return true
    } else if (char === 93 || char === 125) depth--
  }
  return false
}

type Path = () => (string | number)[]

const at = (path: Path) => path().join('.') || '(root)'

function checkText(value: string, path: Path) {
  if (value.includes('\0') || !value.isWellFormed())
    throw new Refusal('request.unusable_text', 'A text holds U+0000 or half a surrogate pair.', [
      { path: at(path), code: 'text', message: 'expected well-formed Unicode without U+0000' },
    ])
}

function checkNumber(value: number, path: Path) {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    throw new Refusal('request.number_out_of_range', 'A number would change by being read.', [
      { path: at(path), code: 'number', message: 'expected a number that a double holds exactly; send it as a string' },
    ])
}

/** JSON has no rule for a repeated name, so two readers may see two bodies (RFC 8259 section 4): refused. */
function checkMembers(text: string) {
  const names: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => {
      names.push(new Set())
    },
    onObjectEnd: () => {
      names.pop()
    },
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const seen = names.at(-1)
      const here = () => [...path(), name]
      if (name === '__proto__' || seen?.has(name))
        throw new Refusal('request.duplicate_member', 'The body has a repeated or a reserved member.', [
          { path: at(here), code: 'member', message: 'expected every name once, and none called __proto__' },
        ])
      seen?.add(name)
      checkText(name, here)
    },
    onLiteralValue: (value: unknown, _offset, _length, _line, _character, path) => {
      if (typeof value === 'string') checkText(value, path)
      else if (typeof value === 'number') checkNumber(value, path)
    },
  })
}

/** JSON that every reader understands alike: bounded depth, no repeated names, no number or text that would change. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text))
    throw new Refusal('request.too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`, [
      { path: '(root)', code: 'depth', message: `expected at most ${MAX_DEPTH} levels` },
    ])
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Refusal('request.malformed_json', 'The body is not JSON.')
  }
  checkMembers(text)
  return parsed
}
