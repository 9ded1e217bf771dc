import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Memory that one instance may have: what decodes an RGBA image of MAX_SCAN_PIXELS needs. */
const MAX_PAGES = (192 * 2 ** 20) / 65_536
const MEMORY_SECTION = 5

/**
 * Sets the most memory that a WebAssembly module may take, in place of the 2 GB that its binary says (WebAssembly Core,
 * 5.5.8): the thread's limits count only what JavaScript has. Throws for a binary in which it stands otherwise.
 */
export function limitMemory(wasm: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(wasm)
  let at = 8
  const number = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('the WebAssembly module has no memory section')
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const id = bytes[at++]
    const length = number()
    if (id !== MEMORY_SECTION) {
      at += length
      continue
    }
    const [count, flags, least] = [number(), number(), number()]
    const start = at
    if (count !== 1 || flags !== 1 || least > maxPages || number() < maxPages || at - start !== 3) break
    bytes.set([(maxPages & 0x7f) | 0x80, ((maxPages >> 7) & 0x7f) | 0x80, maxPages >> 14], start)
    return bytes
  }
  throw new Error('the memory of the WebAssembly module is not declared as it was')
}

/** Emscripten's hook: it gets the imports, and hands over the instance. */
export type Instantiate = (
  imports: WebAssembly.Imports,
  done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => WebAssembly.Exports

/** Compiles a module of a package, and makes new instances of it: one for a file, so that none sees another's. */
export function instantiator(specifier: string): Instantiate {
  const path = fileURLToPath(import.meta.resolve(specifier))
  const module = new WebAssembly.Module(limitMemory(readFileSync(path), MAX_PAGES))
  return (imports, done) => {
    const instance = new WebAssembly.Instance(module, imports)
    done(instance, module)
    return instance.exports
  }
}
