/** The parts of the CBOR-LD library that the platform calls; the package is plain JavaScript. */
declare module '@digitalbazaar/cborld' {
  type Loader = (url: string) => Promise<object>
  export function encode(options: {
    jsonldDocument: object
    documentLoader: Loader
    /** 1: contexts compress, without any further table. */
    registryEntryId: number
  }): Promise<Uint8Array>
  export function decode(options: { cborldBytes: Uint8Array; documentLoader: Loader }): Promise<unknown>
}

declare module 'rdf-canonize' {
  /** A quad as RDF/JS has it; blank nodes are without `_:`. */
  interface Quad {
    graph: { termType: string; value: string }
    object: { value: string; datatype?: { value: string } }
  }
  export const NQuads: { parse(nQuads: string): Quad[] }
}
