/** Own members of an object: of each its value, or its getter and setter, and what may be done with it. */
type Members = Map<PropertyKey, PropertyDescriptor>

interface Seen {
  path: string
  members: Members
  prototype: object | null
  extensible: boolean
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** Every built-in constructor and namespace of the language. `globalThis` also holds what Node loads when it is asked. */
const ROOTS = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'Date', 'RegExp', 'Promise'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'ArrayBuffer', 'DataView', 'Uint8Array', 'Proxy', 'Iterator'],
  ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'URIError', 'EvalError', 'ReferenceError', 'AggregateError'],
  ...['Math', 'JSON', 'Reflect', 'Atomics', 'Intl', 'Buffer', 'URL', 'URLSearchParams', 'TextDecoder', 'Headers'],
]

const membersOf = (object: object): Members =>
  new Map(
    Reflect.ownKeys(object).flatMap((name): [PropertyKey, PropertyDescriptor][] => {
      const descriptor = Object.getOwnPropertyDescriptor(object, name)
      return descriptor ? [[name, descriptor]] : []
    }),
  )

/** What each built-in is now, found by its members and prototypes, and what those lead to. */
function look(): Map<object, Seen> {
  const seen = new Map<object, Seen>()
  const pending: [path: string, value: unknown][] = ROOTS.map((name) => [name, Reflect.get(globalThis, name)])
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, value] = next
    if (!isObject(value) || seen.has(value)) continue
    const members = membersOf(value)
    const prototype = Object.getPrototypeOf(value) as object | null
    seen.set(value, { path, members, prototype, extensible: Object.isExtensible(value) })
    pending.push([`the prototype of ${path}`, prototype])
    for (const [name, { value: member, get, set }] of members)
      for (const each of [member, get, set]) pending.push([`${path}.${String(name)}`, each])
  }
  return seen
}

const differs = (one: PropertyDescriptor | undefined, other: PropertyDescriptor | undefined): boolean =>
  !one || !other || (Object.keys(one) as (keyof PropertyDescriptor)[]).some((key) => !Object.is(one[key], other[key]))

/** Members that libraries set on purpose: how errors show where they come from. */
const MEANT = new Set(['Error.prepareStackTrace', 'Error.stackTraceLimit', 'RegExp.lastIndex'])

/** Remembers all built-ins; the function that it returns tells what has changed in them since. */
export function watchIntrinsics(): () => string[] {
  const before = look()
  return () =>
    [...before].flatMap(([object, { path, members, prototype, extensible }]) => {
      const now = membersOf(object)
      const names = new Set([...members.keys(), ...now.keys()])
      const changed = [...names]
        .filter((name) => differs(members.get(name), now.get(name)))
        .map((name) => `${path}.${String(name)}`)
        .filter((name) => !MEANT.has(name) && !/^RegExp\.(\$|last|left|right|input)/.test(name))
      if (Object.getPrototypeOf(object) !== prototype) changed.push(`the prototype of ${path}`)
      if (Object.isExtensible(object) !== extensible) changed.push(`what may be added to ${path}`)
      return changed
    })
}

/** Names that lead from any object to what all objects share. */
export const HOSTILE_NAMES = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', 'call']

/** Alone, and each before each: the first leads to a function or a prototype, the second is written into it. */
export const HOSTILE_PATHS: string[][] = [
  ...HOSTILE_NAMES.map((name) => [name]),
  ...HOSTILE_NAMES.flatMap((one) => HOSTILE_NAMES.map((other) => [one, other])),
  ['constructor', 'prototype', 'toString', 'call'],
]

/** A value below names, as JSON: as an object it could not be written. */
export const nestedJson = (names: string[], value: string): string =>
  names.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, value)
