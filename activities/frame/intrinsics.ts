/** Built-ins that all code of a process shares. `Error` is told at run time how it shows stacks, and stays as it is. */
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

/** No function that stands in an object gets a member of its own, such as a `call` that is none. */
function freezeFunctions(object: object): void {
  const exceptions: unknown[] = [...CONSTRUCTORS, Error, Function.prototype]
  for (const [, { value, get, set }] of members(object))
    for (const each of [value, get, set])
      if (typeof each === 'function' && !exceptions.includes(each)) Object.freeze(each)
}

/**
 * Nothing is added to `Object.prototype` or replaced in it. An object may still get a `toString` of its own by assignment,
 * which a member that is merely read-only would forbid.
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
          if (this === prototype) throw new TypeError(`Object.prototype.${String(name)} is not changed`)
          const descriptor = { value: own, configurable: true, enumerable: true, writable: true }
          Object.defineProperty(Object(this), name, descriptor)
        },
      })
  }
  Object.preventExtensions(prototype)
}

/** Nor in `Object` itself, which is one step away from every object. */
function lockObject(): void {
  for (const [name, descriptor] of members(Object))
    if (descriptor.configurable) Object.defineProperty(Object, name, { configurable: false, writable: false })
}

/**
 * The second fence behind `protocol/names.ts` (D-156): what follows a name from outside into a built-in fails there, in one
 * request, and changes nothing for any other. Called by each process and thread once its modules are loaded; again, it does
 * nothing. To lock the members of all prototypes and constructors would be stronger: V8 then compiles less of what uses
 * them, and a signature takes a tenth longer.
 */
export function fenceIntrinsics(): void {
  if (!Object.isExtensible(Object.prototype)) return
  for (const { prototype } of CONSTRUCTORS) freezeFunctions(prototype)
  for (const object of [...CONSTRUCTORS, ...NAMESPACES]) freezeFunctions(object)
  for (const object of CONSTRUCTORS) if (object !== Promise) Object.preventExtensions(object)
  lockObject()
  lockObjectPrototype()
}
