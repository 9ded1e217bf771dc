import type { VerificationKey } from '../data-integrity/keys.ts'
import { verifySignature } from '../data-integrity/keys.ts'
import { Refusal } from '../errors.ts'
import { type Cbor, type CborBounds, type CborMap, decodeCbor, encodeCbor, isCborMap, isTag, Tag } from './cbor.ts'

/** Labels of header parameters (RFC 9052, section 3.1; x5chain: RFC 9360). */
export const HEADER = { alg: 1, crit: 2, contentType: 3, kid: 4, typ: 16, x5chain: 33 } as const

/** CBOR tag of a COSE_Sign1 (RFC 9052, section 2). */
const COSE_SIGN1 = 18

export type CoseAlgorithm = 'ES256' | 'EdDSA' | 'ES384'

/** IANA, COSE Algorithms: ECDSA on P-256 and P-384, EdDSA on Ed25519 (RFC 9053, section 2). We sign with no other. */
const ALGORITHMS: Record<CoseAlgorithm, { value: number; keyType: string }> = {
  ES256: { value: -7, keyType: 'p256' },
  EdDSA: { value: -8, keyType: 'ed25519' },
  ES384: { value: -35, keyType: 'p384' },
}

/** Key types by the numbers of algorithms that a reader takes. */
type KeyTypes = ReadonlyMap<unknown, string>

/** What a reader takes by default: that of compact credentials (D-949). */
const USUAL: KeyTypes = new Map([ALGORITHMS.ES256, ALGORITHMS.EdDSA].map(({ value, keyType }) => [value, keyType]))

/** With ES384, and ES512 on P-521 (D-892); ESP256, ESP384, ESP512 and Ed25519 name the curve (RFC 9864, section 2). */
export const ALL_ALGORITHMS: KeyTypes = new Map([
  ...Object.values(ALGORITHMS).map(({ value, keyType }): [unknown, string] => [value, keyType]),
  [-9, 'p256'],
  [-51, 'p384'],
  [-36, 'p521'],
  [-52, 'p521'],
  [-19, 'ed25519'],
])

/** Returns the algorithm of a key. Throws for other key types, which no caller may ask of a signer. */
export function coseAlgorithm(keyType: string): CoseAlgorithm {
  for (const name of ['ES256', 'EdDSA', 'ES384'] as const) if (ALGORITHMS[name].keyType === keyType) return name
  throw new Error(`a key of type ${keyType} cannot sign a COSE_Sign1`)
}

/** A COSE_Sign1 as it was read. `payload` is absent where it is detached. */
export interface CoseSign1 {
  protected: CborMap
  /** As the signature covers them. */
  protectedBytes: Uint8Array
  unprotected: CborMap
  payload: Uint8Array | undefined
  signature: Uint8Array
}

export type CoseFault = 'algorithm_unsupported' | 'critical_unsupported' | 'key_unfit' | 'signature_invalid'

const NONE = new Uint8Array()

/** Sig_structure of a COSE_Sign1 (RFC 9052, section 4.4): the bytes that are signed. */
export const sigStructure = (protectedBytes: Uint8Array, payload: Uint8Array, externalAad: Uint8Array = NONE) =>
  encodeCbor(['Signature1', protectedBytes, externalAad, payload])

export interface ToSign {
  protected: CborMap
  unprotected?: CborMap
  payload: Uint8Array
  externalAad?: Uint8Array
  /** The payload is sent by other means, and nil stands in its place (RFC 9052, section 4.1). */
  detached?: boolean
}

/** A signed COSE_Sign1 as an array, for a document that contains it. The private key stays with `sign`. */
export async function coseSign1(
  { protected: header, unprotected = new Map(), payload, externalAad, detached }: ToSign,
  { keyType, sign }: { keyType: string; sign: (data: Uint8Array) => Promise<Uint8Array> },
): Promise<Cbor[]> {
  const algorithm: CborMap = new Map([[HEADER.alg, ALGORITHMS[coseAlgorithm(keyType)].value]])
  const protectedBytes = encodeCbor(new Map([...header, ...algorithm]))
  const signature = await sign(sigStructure(protectedBytes, payload, externalAad))
  return [protectedBytes, unprotected, detached ? null : payload, signature]
}

/** A signed COSE_Sign1 as bytes, with its tag. */
export const signCoseSign1 = async (...args: Parameters<typeof coseSign1>): Promise<Uint8Array> =>
  encodeCbor(new Tag(COSE_SIGN1, await coseSign1(...args)))

const isBytes = (value: Cbor): value is Uint8Array => value instanceof Uint8Array

/**
 * Reads a COSE_Sign1 (RFC 9052, section 4.2), tagged or not, from a decoded item. A label in both headers, or twice in
 * one, is refused (section 3). The signature is not verified. Throws `Refusal(code)`.
 */
export function coseSign1Of(item: Cbor, bounds: CborBounds): CoseSign1 {
  const malformed = (what: string) => new Refusal(bounds.code, `The COSE_Sign1 is malformed: ${what}.`)
  if (isTag(item) && item.tag !== COSE_SIGN1) throw malformed(`its tag is not ${COSE_SIGN1}`)
  const parts = isTag(item) ? (item.contents as Cbor) : item
  if (!Array.isArray(parts) || parts.length !== 4) throw malformed('it is not an array of four items')
  const [protectedBytes, unprotected, payload, signature] = parts
  if (!isBytes(protectedBytes)) throw malformed('the protected header is not a byte string')
  if (!isCborMap(unprotected)) throw malformed('the unprotected header is not a map')
  if (payload !== null && !isBytes(payload)) throw malformed('the payload is not a byte string')
  if (!isBytes(signature)) throw malformed('the signature is not a byte string')
  const header = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes, bounds)
  if (!isCborMap(header)) throw malformed('the protected header does not contain a map')
  if ([...header.keys()].some((label) => unprotected.has(label)))
    throw malformed('both headers have a parameter of the same label')
  return {
    protected: header,
    protectedBytes: header.size === 0 ? NONE : protectedBytes, // RFC 9052, section 4.4: no parameters are no bytes
    unprotected,
    payload: payload ?? undefined,
    signature,
  }
}

/** Reads a COSE_Sign1 of foreign bytes. Throws `Refusal(code)`. */
export const readCoseSign1 = (bytes: Uint8Array, bounds: CborBounds): CoseSign1 =>
  coseSign1Of(decodeCbor(bytes, bounds), bounds)

/** Key type of the algorithm that the protected header names; undefined where it names none or one that is not taken. */
export const keyTypeOf = ({ protected: header }: CoseSign1, algorithms = USUAL): string | undefined =>
  algorithms.get(header.get(HEADER.alg))

/**
 * Says why a COSE_Sign1 does not verify with a key; undefined where it does. The algorithm is that of the protected
 * header and must be the key's; a critical parameter (RFC 9052, section 3.1) is refused, because we know none that
 * changes how a message is read. `payload` is that of a detached message; `algorithms` are those that the caller takes.
 */
export function coseFault(
  message: CoseSign1,
  key: VerificationKey,
  {
    externalAad,
    payload = message.payload,
    algorithms = USUAL,
  }: { externalAad?: Uint8Array; payload?: Uint8Array | undefined; algorithms?: KeyTypes } = {},
): CoseFault | undefined {
  const keyType = keyTypeOf(message, algorithms)
  if (keyType === undefined) return 'algorithm_unsupported'
  if (message.protected.has(HEADER.crit) || message.unprotected.has(HEADER.crit)) return 'critical_unsupported'
  if (keyType !== key.keyType) return 'key_unfit'
  if (payload === undefined) return 'signature_invalid'
  const signed = sigStructure(message.protectedBytes, payload, externalAad)
  return verifySignature(key, signed, message.signature) ? undefined : 'signature_invalid'
}
