/** Built-ins that all code of a process shares. `Error` is left out, because Node sets members of it at run time. */
const CONSTRUCTORS = [
  ...[Object, Function, Array, String, Number, Boolean, BigInt, Symbol, Date, RegExp, Promise],
  ...[Map, Set, WeakMap, WeakSet, ArrayBuffer, DataView, Uint8Array],
]
const NAMESPACES = [JSON, Math, Reflect]

const members = (object: object): [PropertyKey, PropertyDescriptor][] =>
  Reflect.ownKeys(object).flatMap((name): [PropertyKey, PropertyDescriptor][] => {
    const descriptor = Object.getOwnPropertyDescriptor(object, name)
    return descriptor ? [[name, descriptor]] : []
  })

/** Freezes the functions of an object, so that none gets a member such as a false `call`. */
function freezeFunctions(object: object): void {
  const exceptions: unknown[] = [...CONSTRUCTORS, Error, Function.prototype]
  for (const [, { value, get, set }] of members(object))
    for (const each of [value, get, set])
      if (typeof each === 'function' && !exceptions.includes(each)) Object.freeze(each)
}

/**
 * Forbids additions to `Object.prototype` and replacements in it. An object may still get its own `toString` by
 * assignment, which a read-only member would forbid.
 */
function lockObjectPrototype(): void {
  const prototype = Object.prototype
  for (const [name, { value, enumerable, configurable }] of members(prototype)) {
    if (!configurable) continue
    if (value === undefined) Object.defineProperty(prototype, name, { configurable: false })
    else
      Object.defineProperty(prototype, name, {
        configurable: false,
        enumerable,
        get: () => value,
        set(this: unknown, own: unknown) {
          if (this === prototype) throw new TypeError(`Object.prototype.${String(name)} must not be changed`)
          const descriptor = { value: own, configurable: true, enumerable: true, writable: true }
          Object.defineProperty(Object(this), name, descriptor)
        },
      })
  }
  Object.preventExtensions(prototype)
}

/** Makes the members of `Object` read-only, because every object leads to it. */
function lockObject(): void {
  for (const [name, descriptor] of members(Object))
    if (descriptor.configurable) Object.defineProperty(Object, name, { configurable: false, writable: false })
}

/**
 * The second fence behind `protocol/names.ts` (D-156): a write to a built-in by a name from outside fails in its own
 * request, and changes nothing for others. Each process and thread calls it once its modules are loaded; a second call
 * does nothing. To lock the members of all prototypes and constructors would be stronger: V8 then compiles less of what
 * uses them, and a signature takes a tenth longer.
 */
export function fenceIntrinsics(): void {
  if (!Object.isExtensible(Object.prototype)) return
  for (const { prototype } of CONSTRUCTORS) freezeFunctions(prototype)
  for (const object of [...CONSTRUCTORS, ...NAMESPACES]) freezeFunctions(object)
  for (const object of CONSTRUCTORS) if (object !== Promise) Object.preventExtensions(object)
  lockObject()
  lockObjectPrototype()
}
