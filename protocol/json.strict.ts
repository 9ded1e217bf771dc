import { visit } from 'jsonc-parser'
import { Refusal, within } from './errors.ts'
import { type JsonShape, jsonShape } from './json.members.ts'
import { isExactNumber } from './json.numbers.ts'
import { isObject, isUsableText, USABLE_TEXT } from './json.ts'

const MAX_DEPTH = 64
/** Members of one object, and values in all: bounds the work of checks that visit each member. */
const MAX_MEMBERS = 1_000
export const MAX_VALUES = 20_000

/**
 * `__proto__` reaches an object's prototype; with `toString` the generated validation cannot read an object as text.
 */
const RESERVED = new Set(['__proto__', 'toString'])

type Path = () => (string | number)[]

const at = (path: Path, name?: string) => within('', ...path(), ...(name === undefined ? [] : [name])).slice(0, 200)

const tooMany = (path: Path) =>
  new Refusal('request.too_many_members', 'The body has too many members; see errors for the limits.', [
    {
      path: at(path),
      code: 'members',
      message: `expected at most ${MAX_MEMBERS} in one object and ${MAX_VALUES} values in all`,
    },
  ])

function checkText(value: string, path: Path, name?: string) {
  if (!isUsableText(value))
    throw new Refusal('request.unusable_text', 'A text contains U+0000 or an unpaired surrogate; remove it.', [
      { path: at(path, name), code: 'text', message: USABLE_TEXT },
    ])
}

/** Throws `request.unusable_text` for a text of a form that no JSON could have, with the name of its part. */
export const assertUsable = (text: string, name: string): void => checkText(text, () => [], name)

function checkNumber(literal: string, path: Path) {
  if (!isExactNumber(literal))
    throw new Refusal(
      'request.number_out_of_range',
      'A number cannot be read exactly as a double; send it as a string.',
      [
        {
          path: at(path),
          code: 'number',
          message: 'expected a number that a double holds exactly; send it as a string',
        },
      ],
    )
}

/** How many values may still be read, where texts of one request are JSON as well. */
export interface Values {
  left: number
}

/**
 * Whether a tree keeps every rule that `checkMembers` holds its text to, which takes four times as long. False also where
 * the tree alone does not tell; `values` is taken from only if it is true. A repeated name leaves fewer members than colons.
 */
function isPlain(parsed: unknown, { members, isWhole }: JsonShape, values: Values): boolean {
  let count = 0
  let left = members
  const isFine = (value: unknown): boolean => {
    count += 1
    if (typeof value === 'string') return isUsableText(value)
    if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0)
    if (Array.isArray(value)) return value.every(isFine)
    if (!isObject(value)) return true
    const names = Object.keys(value)
    left -= names.length
    return (
      names.length <= MAX_MEMBERS &&
      names.every((name) => !RESERVED.has(name) && isUsableText(name) && isFine(value[name]))
    )
  }
  if (!isWhole || !isFine(parsed) || left !== 0 || count > values.left) return false
  values.left -= count
  return true
}

/** JSON has no rule for a repeated name, so two readers may see two bodies (RFC 8259 section 4): refused. */
function checkMembers(text: string, values: Values) {
  const names: Set<string>[] = []
  const count = (path: Path) => {
    if (--values.left < 0) throw tooMany(path)
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
      const known = names.at(-1)
      if (RESERVED.has(name) || known?.has(name))
        throw new Refusal('request.duplicate_member', 'The body has a repeated or a reserved name; see errors.', [
          {
            path: at(path, name),
            code: 'member',
            message: 'expected every name once, and none of __proto__ and toString',
          },
        ])
      if (known?.add(name) && known.size > MAX_MEMBERS) throw tooMany(path)
      checkText(name, path, name)
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      count(path)
      if (typeof value === 'string') checkText(value, path)
      else if (typeof value === 'number') checkNumber(text.slice(offset, offset + length), path)
    },
  })
}

/** Where a text stops being JSON, for a person to look; undefined if the reader that knows places accepts it. */
function faultyPlace(text: string): string | undefined {
  let place: string | undefined
  const note = (_error: unknown, _offset: number, _length: number, line: number, character: number) => {
    place ??= `line ${line + 1}, column ${character + 1}`
  }
  visit(text, { onError: note }, { disallowComments: true })
  return place
}

/**
 * Parses JSON that every reader reads alike: bounded depth and size, no repeated names, only exact numbers and texts.
 */
export function parseJson(text: string, values: Values = { left: MAX_VALUES }): unknown {
  const shape = jsonShape(text)
  if (shape.depth > MAX_DEPTH)
    throw new Refusal('request.too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`, [
      { path: '', code: 'depth', message: `expected at most ${MAX_DEPTH} levels` },
    ])
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // never what stands there: it may be personal
    const place = faultyPlace(text)
    throw new Refusal('request.malformed_json', `The body is not JSON${place === undefined ? '' : `: see ${place}`}.`)
  }
  if (!isPlain(parsed, shape, values)) checkMembers(text, values)
  return parsed
}
