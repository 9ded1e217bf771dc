import { Usage } from './usage.ts'

/** JSON as it was written. It goes to the platform like this: parsed and written anew, it could be another document. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The JSON of a request whose members are values, or JSON as it was written; those without a value are left out. */
export function jsonOf(members: Readonly<Record<string, unknown>>): string {
  const written = Object.entries(members).flatMap(([name, value]) => {
    const json = value instanceof JsonText ? value.text : JSON.stringify(value)
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
  })
  return `{${written.join()}}`
}

/** Where the string ends that begins at `from`. */
function closing(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** The members of an object, each with its value as it is written. `json` has to be an object's. */
function* membersOf(json: string): Generator<[name: string, value: string]> {
  let [depth, from, name] = [0, 0, '']
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at)
    if (character === '"') at = closing(json, at)
    if (depth === 1 && character === ':') name = json.slice(from, at)
    if (depth === 1 && /[,}]/.test(character) && name !== '') yield [JSON.parse(name), json.slice(from, at)]
    if (/[{[]/.test(character)) depth += 1
    if (/[}\]]/.test(character)) depth -= 1
    if (depth === 1 && /[{,:]/.test(character)) from = at + 1
  }
}

/** The value of a member as it is written in the object; of two with one name nobody can tell which is meant. */
export function memberOf(file: string, json: string, name: string): JsonText {
  const [value, ...others] = [...membersOf(json)].flatMap(([each, text]) => (each === name ? [text] : []))
  if (value === undefined || others.length > 0) throw new Usage(`${file} does not have the member "${name}" once.`)
  return new JsonText(value.trim())
}
