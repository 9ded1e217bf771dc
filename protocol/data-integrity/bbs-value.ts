import { decode, encode, type TagDecoder } from 'cborg'
import { fromBase64url } from '../base64url.ts'
import type { Json } from './hash.ts'

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

/** CBOR tag 0x5d02 over an array; 0x5d03 would be a derived proof. */
const PREFIX = Uint8Array.from([0xd9, 0x5d, 0x02])

/** Some implementations wrap their byte strings in tag 64 (RFC 8746). */
const TAGS: TagDecoder[] = []
TAGS[64] = (bytes: unknown) => bytes

/** Far above an honest proof value, which has about 400 bytes and the text of its pointers. */
const MAX_CHARACTERS = 100_000

export function baseProofValue({ signature, header, publicKey, hmacKey, mandatoryPointers }: BaseProofValue): string {
  const parts = [signature, header, publicKey, hmacKey].map((part) => new Uint8Array(part))
  return `u${Buffer.concat([PREFIX, encode([...parts, mandatoryPointers])]).toString('base64url')}`
}

const isBytes = (value: unknown, length: number): value is Uint8Array =>
  value instanceof Uint8Array && value.length === length

/** Reads a base proof value; undefined when it is not one. */
export function parseBaseProofValue(text: unknown): BaseProofValue | undefined {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS || !text.startsWith('u')) return undefined
  const bytes = fromBase64url(text.slice(1))
  if (bytes === undefined || !PREFIX.every((byte, index) => bytes[index] === byte)) return undefined
  let parts: unknown
  try {
    parts = decode(bytes.subarray(PREFIX.length), { tags: TAGS, rejectDuplicateMapKeys: true })
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== 5) return undefined
  const [signature, header, publicKey, hmacKey, pointers]: unknown[] = parts
  if (!isBytes(signature, 80) || !isBytes(header, 64) || !isBytes(publicKey, 96) || !isBytes(hmacKey, 32))
    return undefined
  if (!Array.isArray(pointers) || !pointers.every((pointer) => typeof pointer === 'string')) return undefined
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

const BASE_PREFIX = 'u2V0C'

export const isBaseProof = (proof: Json): boolean =>
  typeof proof.proofValue === 'string' && proof.proofValue.startsWith(BASE_PREFIX)
