/** The parts of jsonld that the platform calls; the package is plain JavaScript. */
declare module 'jsonld' {
  interface JsonLdOptions {
    documentLoader: (url: string) => Promise<object>
    safe?: boolean
    base?: string | null
    /** The input is expanded already. */
    skipExpansion?: boolean
    rdfDirection?: 'i18n-datatype'
    canonizeOptions?: {
      algorithm: 'RDFC-1.0'
      maxWorkFactor?: number
      messageDigestAlgorithm?: 'sha256' | 'sha384'
      /** Filled with the label that each blank node got. */
      canonicalIdMap?: Map<string, string>
      signal?: { readonly aborted: boolean; readonly reason: string }
    }
  }
  const jsonld: {
    canonize(input: object, options: JsonLdOptions): Promise<string>
    canonize(
      input: string,
      options: { inputFormat: 'application/n-quads'; canonizeOptions: NonNullable<JsonLdOptions['canonizeOptions']> },
    ): Promise<string>
    expand(input: object, options: JsonLdOptions): Promise<object[]>
    compact(input: object, context: object | string, options: JsonLdOptions): Promise<object>
    fromRDF(dataset: object[], options: { useNativeTypes: boolean }): Promise<object[]>
    fromRDF(quads: string, options: { format: 'application/n-quads'; rdfDirection: 'i18n-datatype' }): Promise<object[]>
    toRDF(input: object, options: JsonLdOptions & { format?: 'application/n-quads' }): Promise<unknown>
  }
  export default jsonld
}

declare module '@digitalbazaar/data-integrity' {
  type Loader = (url: string) => Promise<object>
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object; signer?: object; date?: string | Date | null })
    derive(options: { document: object; purpose: object; proofSet: object[]; documentLoader: Loader }): Promise<object>
    verifyProof(options: {
      proof: object
      proofSet: object[]
      document: object
      documentLoader: Loader
    }): Promise<{ verified: boolean; error?: unknown }>
  }
}

declare module '@digitalbazaar/bbs-2023-cryptosuite' {
  export function createDiscloseCryptosuite(options: {
    proofId?: string
    selectivePointers: string[]
    presentationHeader?: Uint8Array
  }): object
  export function createSignCryptosuite(options: { mandatoryPointers: string[] }): object
  export function createVerifyCryptosuite(options?: { expectedPresentationHeader?: Uint8Array }): object
}

declare module '@digitalbazaar/ecdsa-sd-2023-cryptosuite' {
  export function createDiscloseCryptosuite(options: { proofId?: string; selectivePointers: string[] }): object
  export function createSignCryptosuite(options: { mandatoryPointers: string[] }): object
  export function createVerifyCryptosuite(): object
}

declare module '@digitalbazaar/di-sd-primitives' {
  interface Options {
    documentLoader: (url: string) => Promise<object>
    maxWorkFactor?: number
  }
  interface Hmac {
    sign(bytes: Uint8Array): Promise<Uint8Array>
  }
  type LabelMapFunction = (input: { canonicalIdMap: Map<string, string> }) => Promise<Map<string, string>>
  interface Group {
    matching: Map<number, string>
    nonMatching: Map<number, string>
    deskolemizedNQuads: string[]
  }
  export function createHmac(options: { key: Uint8Array | null }): Promise<Hmac>
  export function createHmacIdLabelMapFunction(options: { hmac: Hmac }): LabelMapFunction
  export function canonicalizeAndGroup<Name extends string>(input: {
    document: object
    labelMapFactoryFunction: LabelMapFunction
    groups: Record<Name, string[]>
    options: Options
  }): Promise<{ groups: Record<Name, Group>; labelMap: Map<string, string>; nquads: string[] }>
  export function hashCanonizedProof(input: { document: object; proof: object; options: Options }): Promise<Uint8Array>
  export function hashMandatory(input: { mandatory: string[] }): Promise<{ mandatoryHash: Uint8Array }>
}

declare module '@digitalbazaar/bbs-signatures' {
  type Ciphersuite = 'BLS12-381-SHA-256' | 'BLS12-381-SHAKE-256'
  interface Signed {
    header: Uint8Array
    messages: Uint8Array[]
    ciphersuite: Ciphersuite
  }
  export function secretKeyToPublicKey(input: { secretKey: Uint8Array; ciphersuite: Ciphersuite }): Promise<Uint8Array>
  export function sign(input: Signed & { secretKey: Uint8Array; publicKey: Uint8Array }): Promise<Uint8Array>
  export function verifySignature(input: Signed & { publicKey: Uint8Array; signature: Uint8Array }): Promise<boolean>
}
