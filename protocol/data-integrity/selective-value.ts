import { decode, encode, type TagDecoder } from 'cborg'
import { fromBase64url } from '../base64url.ts'
import type { Json } from './hash.ts'

/** Some implementations wrap their byte strings in tag 64 (RFC 8746). */
const TAGS: TagDecoder[] = []
TAGS[64] = (bytes: unknown) => bytes

/** Far above an honest proof value, which has about 400 bytes, 90 per signed statement, and the text of its pointers. */
const MAX_CHARACTERS = 100_000
/** A derived bbs-2023 proof has 32 bytes per hidden statement. */
const MAX_DERIVED_CHARACTERS = 500_000

/** CBOR tags of two bytes over an array (VC Data Integrity BBS 1.0, section 3.3.1; ECDSA 1.0, section 3.4.15). */
export const PREFIX = {
  sdBase: Uint8Array.from([0xd9, 0x5d, 0x00]),
  sdDerived: Uint8Array.from([0xd9, 0x5d, 0x01]),
  bbsBase: Uint8Array.from([0xd9, 0x5d, 0x02]),
  bbsDerived: Uint8Array.from([0xd9, 0x5d, 0x03]),
} as const

/** The text of a proof value of these parts: multibase base64url. */
export const proofValueOf = (prefix: Uint8Array, parts: unknown[]): string =>
  `u${Buffer.concat([prefix, encode(parts)]).toString('base64url')}`

const bytesOf = (text: unknown, maxCharacters = MAX_CHARACTERS): Uint8Array | undefined =>
  typeof text === 'string' && text.length <= maxCharacters && text.startsWith('u')
    ? fromBase64url(text.slice(1))
    : undefined

const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

/** Reads the parts of a proof value with a prefix; undefined when it is none of so many parts. */
export function partsOf(
  text: unknown,
  prefix: Uint8Array,
  count: number,
  maxCharacters = MAX_CHARACTERS,
): unknown[] | undefined {
  const bytes = bytesOf(text, maxCharacters)
  if (bytes === undefined || !startsWith(bytes, prefix)) return undefined
  try {
    const parts: unknown = decode(bytes.subarray(prefix.length), {
      tags: TAGS,
      useMaps: true,
      rejectDuplicateMapKeys: true,
    })
    return Array.isArray(parts) && parts.length === count ? parts : undefined
  } catch {
    return undefined
  }
}

export const isBytes = (value: unknown, length: number): value is Uint8Array =>
  value instanceof Uint8Array && value.length === length

export const isListOf = <Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] =>
  Array.isArray(value) && value.every(is)

export const isText = (value: unknown): value is string => typeof value === 'string'

/** Whether a proof is a base proof, for its holder alone to derive from. */
export function isBaseProof({ proofValue }: Json): boolean {
  const bytes = bytesOf(proofValue)
  return bytes !== undefined && (startsWith(bytes, PREFIX.bbsBase) || startsWith(bytes, PREFIX.sdBase))
}

/** What a base proof has besides the issuer's signature, and the bytes that the issuer signs. */
export interface SdData {
  /** Hash of the proof options, then the key of the proof, then the hash of the mandatory statements. */
  data: Uint8Array
  /** Key of this proof alone, P-256 in its multicodec form, 35 bytes. */
  publicKey: Uint8Array
  hmacKey: Uint8Array
  /** Of each statement that is not mandatory, by the key of the proof. */
  signatures: Uint8Array[]
  mandatoryPointers: string[]
}

/** VC Data Integrity ECDSA 1.0, section 3.4.14 serializeBaseProofValue. */
export const sdProofValue = (
  { publicKey, hmacKey, signatures, mandatoryPointers }: Omit<SdData, 'data'>,
  signature: Uint8Array,
): string =>
  proofValueOf(PREFIX.sdBase, [
    new Uint8Array(signature),
    new Uint8Array(publicKey),
    new Uint8Array(hmacKey),
    signatures.map((each) => new Uint8Array(each)),
    mandatoryPointers,
  ])

const isSignature = (value: unknown): value is Uint8Array => isBytes(value, 64)

/** Reads a base proof value (section 3.4.15); undefined when it is not one. */
export function parseSdBase(text: unknown): (Omit<SdData, 'data'> & { signature: Uint8Array }) | undefined {
  const [signature, publicKey, hmacKey, signatures, pointers] = partsOf(text, PREFIX.sdBase, 5) ?? []
  if (!isSignature(signature) || !isBytes(publicKey, 35) || !isBytes(hmacKey, 32)) return undefined
  if (!isListOf(signatures, isSignature) || !isListOf(pointers, isText)) return undefined
  return { signature, publicKey, hmacKey, signatures, mandatoryPointers: pointers }
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/**
 * Whether this is a derived proof value (section 3.4.19) in which every blank node has a label of its own. Two nodes with
 * one label would be one node that the issuer signed, shown as two.
 */
export function isSdDerived(text: unknown): boolean {
  const [signature, publicKey, signatures, labels, indexes] = partsOf(text, PREFIX.sdDerived, 5) ?? []
  if (!isSignature(signature) || !isBytes(publicKey, 35)) return false
  if (!isListOf(signatures, isSignature) || !isListOf(indexes, isIndex) || !(labels instanceof Map)) return false
  const entries = [...labels]
  const texts = entries.map(([, label]) => (isBytes(label, 32) ? Buffer.from(label).toString('base64url') : undefined))
  return (
    entries.every(([index]) => isIndex(index)) && !texts.includes(undefined) && new Set(texts).size === texts.length
  )
}

/** Above the number of statements that a credential may have: larger indexes make huge arrays in the library. */
const MAX_INDEX = 10_000

/** Whether this is a list of indexes as a derivation writes it: each one once, in order. */
const areIndexes = (value: unknown): boolean =>
  isListOf(value, isIndex) &&
  value.every((index, at) => index <= MAX_INDEX && (at === 0 || index > (value[at - 1] ?? index)))

/**
 * Whether this is a derived proof value (VC Data Integrity BBS 1.0, section 3.3.10) in which every statement that is not
 * mandatory has an index of its own and every blank node a label of its own. The library puts statements into an array
 * by their indexes: of two with one index it verifies the last one, and none with an index that no array has, so that
 * anybody could add statements (D-1170).
 */
export function isBbsDerived(text: unknown): boolean {
  const parts = partsOf(text, PREFIX.bbsDerived, 5, MAX_DERIVED_CHARACTERS) ?? []
  const [bbsProof, labels, mandatory, selective, presentationHeader] = parts
  if (!(bbsProof instanceof Uint8Array) || !(presentationHeader instanceof Uint8Array)) return false
  if (!areIndexes(mandatory) || !areIndexes(selective) || !(labels instanceof Map)) return false
  const numbers = [...labels.values()]
  return [...labels.keys(), ...numbers].every(isIndex) && new Set(numbers).size === numbers.length
}
