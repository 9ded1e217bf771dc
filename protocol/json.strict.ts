import { visit } from 'jsonc-parser'
import { Refusal } from './errors.ts'
import { isExactNumber } from './json.numbers.ts'

const MAX_DEPTH = 64
/** Members of one object, and values in all: what checks a body member by member never has more to look at. */
const MAX_MEMBERS = 1_000
export const MAX_VALUES = 20_000

/** What would reach an object's prototype, and what keeps the generated validation from reading an object as text. */
const RESERVED = new Set(['__proto__', 'toString'])

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

const at = (path: Path, name?: string) =>
  [...path(), ...(name === undefined ? [] : [name])].join('.').slice(0, 200) || '(root)'

const tooMany = (path: Path) =>
  new Refusal('request.too_many_members', 'The body has more members than anything here takes.', [
    {
      path: at(path),
      code: 'members',
      message: `expected at most ${MAX_MEMBERS} in one object and ${MAX_VALUES} values in all`,
    },
  ])

function checkText(value: string, path: Path, name?: string) {
  if (value.includes('\0') || !value.isWellFormed())
    throw new Refusal('request.unusable_text', 'A text holds U+0000 or half a surrogate pair.', [
      { path: at(path, name), code: 'text', message: 'expected well-formed Unicode without U+0000' },
    ])
}

function checkNumber(literal: string, path: Path) {
  if (!isExactNumber(literal))
    throw new Refusal('request.number_out_of_range', 'A number would change by being read.', [
      { path: at(path), code: 'number', message: 'expected a number that a double holds exactly; send it as a string' },
    ])
}

/** JSON has no rule for a repeated name, so two readers may see two bodies (RFC 8259 section 4): refused. */
function checkMembers(text: string) {
  const names: Set<string>[] = []
  let values = 0
  const count = (path: Path) => {
    if (++values > MAX_VALUES) throw tooMany(path)
  }
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _character, path) => {
      count(path)
      names.push(new Set())
    },
    onArrayBegin: (_offset, _length, _line, _character, path) => count(path),
    onObjectEnd: () => {
      names.pop()
    },
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const seen = names.at(-1)
      if (RESERVED.has(name) || seen?.has(name))
        throw new Refusal('request.duplicate_member', 'The body has a repeated or a reserved member.', [
          {
            path: at(path, name),
            code: 'member',
            message: 'expected every name once, and none of __proto__ and toString',
          },
        ])
      if (seen?.add(name) && seen.size > MAX_MEMBERS) throw tooMany(path)
      checkText(name, path, name)
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      count(path)
      if (typeof value === 'string') checkText(value, path)
      else if (typeof value === 'number') checkNumber(text.slice(offset, offset + length), path)
    },
  })
}

/** JSON that every reader understands alike: bounded depth and size, no repeated names, no number or text that would change. */
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
