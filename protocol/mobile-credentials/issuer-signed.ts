import { ECDH, hash } from 'node:crypto'
import { fromBase64url } from '../base64url.ts'
import { type Cbor, type CborMap, encodeCbor, isCborMap, isTag, Tag } from '../cose/cbor.ts'
import { coseSign1, HEADER } from '../cose/sign1.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { MAX_VALUES, type Values } from '../json.strict.ts'
import { isObject } from '../json.ts'
import { typeOf } from './namespaces.ts'
import type { StoredKey } from './signing-crypto.ts'
import { toTdate } from './values.ts'

/** CBOR in a byte string (RFC 8949, section 3.4.5.1). */
export const ENCODED_CBOR = 24
export const embed = (value: Cbor): Tag => new Tag(ENCODED_CBOR, encodeCbor(value))

/**
 * Data items of an mdoc or a response with all that is embedded: 1,800 elements, of which driving licences have 40. The
 * event loop reads them in 20 ms; a million, which a megabyte can have, held it for 240 ms.
 */
export const MAX_ITEMS = 20_000
/** Of these, what each element takes besides its value: its digest, its place and its other members. */
const ITEMS_PER_ELEMENT = 13
/** Of these, what stands beside the elements: the MSO with 50 namespaces, and the headers of the signature. */
const OTHER_ITEMS = 400

const itemsIn = (value: Cbor): number => {
  if (isTag(value)) return 1 + itemsIn(value.contents as Cbor)
  if (isCborMap(value)) return [...value.values()].reduce<number>((sum, each) => sum + 1 + itemsIn(each), 1)
  return Array.isArray(value) ? value.reduce<number>((sum, each) => sum + itemsIn(each), 1) : 1
}

/** In base64url, and with a session, an mdoc of so many bytes fits into the body of a verification, of 1 MiB. */
export const MAX_SIGNED_BYTES = 780_000

/** Nobody could send it for verification (D-331). */
export const tooLong = (path: string) =>
  new Refusal('credential.invalid', 'The credential is too long to be verified.', [
    { path, code: 'too_long', message: `expected an mdoc of at most ${MAX_SIGNED_BYTES} bytes` },
  ])

/** Bytes that a value has at least, in its texts and byte strings. */
function leastBytes(value: Cbor): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (isTag(value)) return leastBytes(value.contents as Cbor)
  const parts = isCborMap(value) ? [...value.keys(), ...value.values()] : Array.isArray(value) ? value : []
  return parts.reduce<number>((sum, each) => sum + leastBytes(each), 0)
}

/** Errors of one request that are told, as elsewhere (D-321). */
const MAX_ERRORS = 50
const MAX_NAMESPACES = 50
const MAX_ELEMENTS = 500
const SALT_BYTES = 32

/** Elements by namespace, as CBOR. */
export type NameSpaces = Map<string, Map<string, Cbor>>

/**
 * Reads the elements of a request by the rules of their namespaces. Throws `Refusal('credential.invalid')` with an error
 * for each value that its namespace forbids, or once they are too long: a template may take one claim many times.
 */
export function nameSpacesOf(items: unknown, path: string): NameSpaces {
  const errors: FieldError[] = []
  const spaces: NameSpaces = new Map()
  const texts: Values = { left: MAX_VALUES }
  let bytes = 0
  const count = (value: Cbor) => {
    bytes += leastBytes(value)
    if (bytes > MAX_SIGNED_BYTES) throw tooLong(path)
  }
  if (!isObject(items) || Object.keys(items).length === 0)
    errors.push({ path, code: 'required', message: 'expected an object with a namespace' })
  else if (Object.keys(items).length > MAX_NAMESPACES)
    errors.push({ path, code: 'too_many', message: `expected at most ${MAX_NAMESPACES} namespaces` })
  else
    for (const [namespace, elements] of Object.entries(items)) {
      const at = within(path, namespace)
      const read = isObject(elements)
        ? elementsOf(namespace, elements, { path: at, errors, texts, count })
        : new Map<string, Cbor>()
      if (!isObject(elements) || Object.keys(elements).length === 0)
        errors.push({ path: at, code: 'required', message: 'expected an object with an element' })
      spaces.set(namespace, read)
    }
  const values = [...spaces.values()].flatMap((elements) => [...elements.values()])
  const itemCount = values.reduce<number>((sum, value) => sum + ITEMS_PER_ELEMENT + itemsIn(value), OTHER_ITEMS)
  if (itemCount > MAX_ITEMS) errors.push({ path, code: 'too_many', message: 'expected fewer elements and members' })
  if (errors.length > 0)
    throw new Refusal(
      'credential.invalid',
      'Values of the credential break rules of their namespaces; see errors.',
      errors.slice(0, MAX_ERRORS),
    )
  return spaces
}

interface Reading {
  path: string
  errors: FieldError[]
  texts: Values
  /** Of each value that is read. Throws once they are too long. */
  count(value: Cbor): void
}

function elementsOf(namespace: string, elements: object, { path, errors, texts, count }: Reading): Map<string, Cbor> {
  const read = new Map<string, Cbor>()
  const entries = Object.entries(elements)
  if (entries.length > MAX_ELEMENTS) {
    errors.push({ path, code: 'too_many', message: `expected at most ${MAX_ELEMENTS} elements` })
    return read
  }
  for (const [name, json] of entries) {
    const at = within(path, name)
    const type = typeOf(namespace, name)
    if (!type) {
      errors.push({ path: at, code: 'unknown', message: `expected an element of ${namespace}` })
      continue
    }
    const result = type(json, at, texts)
    if ('value' in result) {
      count(result.value)
      read.set(name, result.value)
    } else for (const error of result.errors) errors.push(error)
  }
  return read
}

/** Labels and curves of a COSE_Key (RFC 9053, section 7). */
const COSE_CURVES: Readonly<Record<string, { kty: number; crv: number; bytes: number; name?: string }>> = {
  'P-256': { kty: 2, crv: 1, bytes: 32, name: 'prime256v1' },
  'P-384': { kty: 2, crv: 2, bytes: 48, name: 'secp384r1' },
  'P-521': { kty: 2, crv: 3, bytes: 66, name: 'secp521r1' },
  Ed25519: { kty: 1, crv: 6, bytes: 32 },
  X25519: { kty: 1, crv: 4, bytes: 32 },
}

/** Stands before both coordinates of a point (SEC 1, section 2.3.3). */
const UNCOMPRESSED = Uint8Array.of(4)

/** A public JWK as COSE_Key. Throws `Refusal('credential.invalid')` for one that no device key can be. */
export function coseKeyOf(jwk: PublicJwk, path: string): CborMap {
  const refuse = (message: string) =>
    new Refusal('credential.invalid', 'The device key cannot be used.', [{ path, code: 'device_key', message }])
  const { kty, crv, x, y } = jwk
  if (isPrivateJwk(jwk)) throw refuse('expected a public JSON Web Key without private members')
  const curve = typeof crv === 'string' && Object.hasOwn(COSE_CURVES, crv) ? COSE_CURVES[crv] : undefined
  if (!curve || kty !== (curve.name ? 'EC' : 'OKP'))
    throw refuse(`expected a public key of ${Object.keys(COSE_CURVES).join(', ')}`)
  const coordinate = (text: unknown): Uint8Array => {
    const bytes = typeof text === 'string' ? fromBase64url(text) : undefined
    if (bytes?.length === curve.bytes) return new Uint8Array(bytes)
    throw refuse(`expected coordinates of ${curve.bytes} bytes in base64url`)
  }
  const xBytes = coordinate(x)
  const yBytes = curve.name ? coordinate(y) : undefined
  try {
    // OpenSSL finds the point on its curve much faster, and does not look at one of Curve25519
    if (curve.name && yBytes) ECDH.convertKey(Buffer.concat([UNCOMPRESSED, xBytes, yBytes]), curve.name)
    else fromJwk({ kty, crv, x })
  } catch {
    throw refuse('expected a point of the curve') // the libraries name no cause that a caller could use
  }
  return new Map<number, Cbor>([
    [1, curve.kty],
    [-1, curve.crv],
    [-2, xBytes],
    ...(yBytes ? [[-3, yBytes] as [number, Cbor]] : []),
  ])
}

export interface Validity {
  signed: Date
  validFrom: Date
  validUntil: Date
  expectedUpdate?: Date | undefined
}

export interface ToIssue {
  docType: string
  nameSpaces: NameSpaces
  validity: Validity
  deviceKey?: CborMap | undefined
  /** Members of the MSO that a status needs. */
  status?: CborMap | undefined
  /** The document signer's certificate in DER. */
  certificate: Uint8Array
  random(bytes: number): Uint8Array
}

/** Numbers in random order, so that a digest id says nothing about its element (ISO/IEC 18013-5, 9.1.2.5). */
function shuffled(count: number, random: ToIssue['random']): number[] {
  const bytes = Buffer.from(random(count * 8))
  const keys = Array.from({ length: count }, (_, id) => ({ id, key: bytes.readBigUInt64BE(id * 8) }))
  return keys.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ id }) => id)
}

/** IssuerSignedItem and the digest of IssuerSignedItemBytes (ISO/IEC 18013-5, 8.3.2.1.2.2 and 9.1.2.5). */
function itemOf(digestID: number, random: Uint8Array, elementIdentifier: string, elementValue: Cbor) {
  const members = Object.entries({ digestID, random, elementIdentifier, elementValue })
  const item = embed(new Map<string, Cbor>(members))
  return { item, digest: hash('sha256', encodeCbor(item), 'buffer') }
}

function salted(elements: ReadonlyMap<string, Cbor>, random: ToIssue['random']) {
  const ids = shuffled(elements.size, random)
  const salts = random(elements.size * SALT_BYTES)
  const digests: [number, Uint8Array][] = []
  const items = [...elements].map(([name, value], at) => {
    const digestID = ids[at] ?? at
    const salt = salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES)
    const { item, digest } = itemOf(digestID, salt, name, value)
    digests.push([digestID, digest])
    return item
  })
  return { items, digests: new Map(digests.sort(([a], [b]) => a - b)) }
}

/** Signs an mdoc; returns IssuerSigned (ISO/IEC 18013-5, 8.3.2.1.2.2) and its IssuerAuth as CBOR. */
export async function issue(
  request: ToIssue,
  key: StoredKey,
): Promise<{ issuerSigned: Uint8Array; issuerAuth: Uint8Array }> {
  const { docType, nameSpaces, validity, deviceKey, status, certificate, random } = request
  const spaces = new Map<string, Cbor>()
  const valueDigests = new Map<string, Cbor>()
  for (const [namespace, elements] of nameSpaces) {
    const { items, digests } = salted(elements, random)
    spaces.set(namespace, items)
    valueDigests.set(namespace, digests)
  }
  const { expectedUpdate } = validity
  const mso = new Map<string, Cbor>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', valueDigests],
    ...(deviceKey ? [['deviceKeyInfo', new Map([['deviceKey', deviceKey]])] as [string, Cbor]] : []),
    ['docType', docType],
    [
      'validityInfo',
      new Map<string, Cbor>([
        ['signed', toTdate(validity.signed)],
        ['validFrom', toTdate(validity.validFrom)],
        ['validUntil', toTdate(validity.validUntil)],
        ...(expectedUpdate ? [['expectedUpdate', toTdate(expectedUpdate)] as [string, Cbor]] : []),
      ]),
    ],
    ...(status ? [['status', status] as [string, Cbor]] : []),
  ])
  const issuerAuth = await coseSign1(
    {
      protected: new Map(),
      unprotected: new Map([[HEADER.x5chain, certificate]]),
      payload: encodeCbor(embed(mso)),
    },
    { keyType: 'p256', sign: key.sign },
  )
  const issuerSigned = new Map<string, Cbor>([
    ['nameSpaces', spaces],
    ['issuerAuth', issuerAuth],
  ])
  return { issuerSigned: encodeCbor(issuerSigned), issuerAuth: encodeCbor(issuerAuth) }
}
