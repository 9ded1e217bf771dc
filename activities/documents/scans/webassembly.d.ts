/** The parts of WebAssembly's JavaScript interface that are used here: TypeScript has them only with those of browsers. */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>
  type Imports = Record<string, Record<string, unknown>>

  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }

  class Instance {
    constructor(module: Module, imports?: Imports)
    readonly exports: Exports
  }
}
