import { isBytes, isListOf, isText, PREFIX, partsOf, proofValueOf } from './selective-value.ts'

/** The signed data of a base proof (VC Data Integrity BBS 1.0, sections 3.3.1 to 3.3.5). */
export interface BbsData {
  header: Uint8Array
  messages: Uint8Array[]
  hmacKey: Uint8Array
  mandatoryPointers: string[]
}

/** Components of a base proof value (VC Data Integrity BBS 1.0, section 3.3.8 serializeBaseProofValue). */
export interface BaseProofValue {
  /** 80 bytes. */
  signature: Uint8Array
  /** 64 bytes: hash of the proof options, then of the mandatory statements. */
  header: Uint8Array
  /** 96 bytes, BLS12-381 G2. */
  publicKey: Uint8Array
  /** 32 bytes. */
  hmacKey: Uint8Array
  /** JSON pointers that every derived proof discloses. */
  mandatoryPointers: string[]
}

export function baseProofValue({ signature, header, publicKey, hmacKey, mandatoryPointers }: BaseProofValue): string {
  const parts = [signature, header, publicKey, hmacKey].map((part) => new Uint8Array(part))
  return proofValueOf(PREFIX.bbsBase, [...parts, mandatoryPointers])
}

/** Reads a base proof value; undefined when it is not one. */
export function parseBaseProofValue(text: unknown): BaseProofValue | undefined {
  const [signature, header, publicKey, hmacKey, pointers] = partsOf(text, PREFIX.bbsBase, 5) ?? []
  if (!isBytes(signature, 80) || !isBytes(header, 64) || !isBytes(publicKey, 96) || !isBytes(hmacKey, 32))
    return undefined
  if (!isListOf(pointers, isText)) return undefined
  return { signature, header, publicKey, hmacKey, mandatoryPointers: pointers }
}

export const bbsProofValue = (data: BbsData, signature: Uint8Array, publicKey: Uint8Array): string =>
  baseProofValue({
    signature,
    header: data.header,
    publicKey,
    hmacKey: data.hmacKey,
    mandatoryPointers: data.mandatoryPointers,
  })
