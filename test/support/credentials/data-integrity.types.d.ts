/** The peers that the tests compare with; all of them are plain JavaScript. */
declare module '@digitalbazaar/vc' {
  type Loader = (url: string) => Promise<object>
  export function issue(options: {
    credential: object
    suite: object
    documentLoader: Loader
  }): Promise<Record<string, unknown>>
  export function derive(options: {
    verifiableCredential: object
    suite: object
    documentLoader: Loader
  }): Promise<Record<string, unknown>>
  export function signPresentation(options: {
    presentation: object
    suite: object
    challenge?: string
    domain?: string
    documentLoader: Loader
  }): Promise<Record<string, unknown>>
  export function verify(options: {
    presentation: object
    suite: object | object[]
    challenge?: string
    domain?: string
    documentLoader: Loader
    checkStatus?: () => Promise<{ verified: boolean }>
  }): Promise<{ verified: boolean; error?: unknown }>
  export function verifyCredential(options: {
    credential: object
    suite: object
    documentLoader: Loader
    now?: Date
  }): Promise<{ verified: boolean; error?: unknown }>
}
declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object
}
declare module '@digitalbazaar/eddsa-2022-cryptosuite' {
  export const cryptosuite: object
}
declare module '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite' {
  export const cryptosuite: object
}
declare module '@digitalbazaar/ed25519-signature-2018' {
  export class Ed25519Signature2018 {
    constructor(options?: { signer?: object; date?: string })
  }
}
declare module '@digitalbazaar/ed25519-signature-2020' {
  export class Ed25519Signature2020 {
    constructor(options?: { signer?: object; date?: string })
  }
}
declare module '@digitalbazaar/eddsa-jcs-2022-cryptosuite' {
  export function createSignCryptosuite(): object
  export function createVerifyCryptosuite(): object
}
declare module '@digitalbazaar/ecdsa-jcs-2019-cryptosuite' {
  export function createSignCryptosuite(): object
  export function createVerifyCryptosuite(): object
}
