/** Keys of the peer libraries; all of them are plain JavaScript. */
declare module '@digitalbazaar/ed25519-multikey' {
  export function generate(options: { controller: string }): Promise<{ id: string; signer(): object }>
}
declare module '@digitalbazaar/ecdsa-multikey' {
  export function generate(options: { controller: string; curve: 'P-256' }): Promise<{ id: string; signer(): object }>
}
declare module '@digitalbazaar/ed25519-verification-key-2018' {
  export class Ed25519VerificationKey2018 {
    static generate(options: { controller: string }): Promise<Ed25519VerificationKey2018>
    id: string
    signer(): object
  }
}
