declare module '@digitalbazaar/bls12-381-multikey' {
  interface BbsKeyPair {
    export(options: { raw: true; publicKey: true; secretKey: true }): Promise<{
      publicKey: Uint8Array
      secretKey: Uint8Array
    }>
    signer(): { multisign(input: { header: Uint8Array; messages: Uint8Array[] }): Promise<Uint8Array> }
    deriveProof(input: {
      signature: Uint8Array
      header: Uint8Array
      messages: Uint8Array[]
      presentationHeader: Uint8Array
      disclosedMessageIndexes: number[]
    }): Promise<Uint8Array>
    verifier(): {
      multiverify(input: {
        proof: Uint8Array
        header: Uint8Array
        presentationHeader: Uint8Array
        messages: Uint8Array[]
      }): Promise<boolean>
    }
  }
  export function generateBbsKeyPair(options: { algorithm: string; seed?: Uint8Array }): Promise<BbsKeyPair>
  export function fromRaw(options: {
    algorithm: string
    publicKey: Uint8Array
    secretKey?: Uint8Array
  }): Promise<BbsKeyPair>
}
