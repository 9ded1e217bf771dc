import { createPublicKey, hash } from 'node:crypto'
import { fromBase64url } from '../base64url.ts'
import { type Cbor, type CborMap, cborHead, encodeCbor, isCborMap, isTag, MAJOR, Tag } from '../cose/cbor.ts'
import { coseSign1, HEADER } from '../cose/sign1.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
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

const MAX_NAMESPACES = 50
const MAX_ELEMENTS = 500
const SALT_BYTES = 32

/** Elements by namespace, as CBOR. */
export type NameSpaces = Map<string, Map<string, Cbor>>

/**
 * Reads the elements of a request by the rules of their namespaces. Throws `Refusal('credential.invalid')` with an error
 * for each value that its namespace forbids.
 */
export function nameSpacesOf(items: unknown, path: string): NameSpaces {
  const errors: FieldError[] = []
  const spaces: NameSpaces = new Map()
  if (!isObject(items) || Object.keys(items).length === 0)
    errors.push({ path, code: 'required', message: 'expected an object with a namespace' })
  else if (Object.keys(items).length > MAX_NAMESPACES)
    errors.push({ path, code: 'too_many', message: `expected at most ${MAX_NAMESPACES} namespaces` })
  else
    for (const [namespace, elements] of Object.entries(items)) {
      const at = within(path, namespace)
      const read = isObject(elements) ? elementsOf(namespace, elements, at, errors) : new Map<string, Cbor>()
      if (!isObject(elements) || Object.keys(elements).length === 0)
        errors.push({ path: at, code: 'required', message: 'expected an object with an element' })
      spaces.set(namespace, read)
    }
  const values = [...spaces.values()].flatMap((elements) => [...elements.values()])
  const count = values.reduce<number>((sum, value) => sum + ITEMS_PER_ELEMENT + itemsIn(value), OTHER_ITEMS)
  if (count > MAX_ITEMS) errors.push({ path, code: 'too_many', message: 'expected fewer elements and members' })
  if (errors.length > 0)
    throw new Refusal(
      'credential.invalid',
      'Values of the credential break rules of their namespaces; see errors.',
      errors,
    )
  return spaces
}

function elementsOf(namespace: string, elements: object, path: string, errors: FieldError[]): Map<string, Cbor> {
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
    const result = type(json, at)
    if ('value' in result) read.set(name, result.value)
    else errors.push(...result.errors)
  }
  return read
}

/** Labels and curves of a COSE_Key (RFC 9053, section 7). */
const COSE_CURVES: Readonly<Record<string, { kty: number; crv: number; bytes: number }>> = {
  'P-256': { kty: 2, crv: 1, bytes: 32 },
  'P-384': { kty: 2, crv: 2, bytes: 48 },
  'P-521': { kty: 2, crv: 3, bytes: 66 },
  Ed25519: { kty: 1, crv: 6, bytes: 32 },
  X25519: { kty: 1, crv: 4, bytes: 32 },
}

/** A public JWK as COSE_Key. Throws `Refusal('credential.invalid')` for one that no device key can be. */
export function coseKeyOf(jwk: PublicJwk, path: string): CborMap {
  const refuse = (message: string) =>
    new Refusal('credential.invalid', 'The device key cannot be used.', [{ path, code: 'device_key', message }])
  const { kty, crv, x, y } = jwk
  if (isPrivateJwk(jwk)) throw refuse('expected a public JSON Web Key without private members')
  const curve = typeof crv === 'string' && Object.hasOwn(COSE_CURVES, crv) ? COSE_CURVES[crv] : undefined
  const isEc = curve?.kty === 2
  if (!curve || kty !== (isEc ? 'EC' : 'OKP'))
    throw refuse(`expected a public key of ${Object.keys(COSE_CURVES).join(', ')}`)
  const coordinate = (text: unknown): Uint8Array => {
    const bytes = typeof text === 'string' ? fromBase64url(text) : undefined
    if (bytes?.length === curve.bytes) return new Uint8Array(bytes)
    throw refuse(`expected coordinates of ${curve.bytes} bytes in base64url`)
  }
  const [xBytes, yBytes] = [coordinate(x), isEc ? coordinate(y) : undefined]
  try {
    // OpenSSL finds the point on its curve much faster, and does not look at one of Curve25519
    if (isEc) createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
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

const text = (value: string): Uint8Array[] => {
  const bytes = Buffer.from(value)
  return [cborHead(MAJOR.text, bytes.length), bytes]
}

/** The members of IssuerSignedItem in their order, each with what stands before its value. */
const [DIGEST_ID, RANDOM, IDENTIFIER, VALUE] = ['digestID', 'random', 'elementIdentifier', 'elementValue'].map((name) =>
  Buffer.concat(text(name)),
) as [Buffer, Buffer, Buffer, Buffer]
const ITEM = cborHead(MAJOR.map, 4)
const SALT = cborHead(MAJOR.bytes, SALT_BYTES)

/** The encoding of a value in parts: the common kinds without the library, which takes buffers of its own for each item. */
function encodedValue(value: Cbor): Uint8Array[] {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'boolean') return [Uint8Array.of(value ? 0xf5 : 0xf4)]
  if (value instanceof Uint8Array) return [cborHead(MAJOR.bytes, value.length), value]
  return [encodeCbor(value)]
}

const EMBEDDED = cborHead(MAJOR.tag, ENCODED_CBOR)

/**
 * IssuerSignedItem and the digest of IssuerSignedItemBytes (ISO/IEC 18013-5, 8.3.2.1.2.2 and 9.1.2.5), joined of its parts:
 * the library takes longer for the map than for the value, and an mdoc has dozens.
 */
function itemOf(digestID: number, salt: Uint8Array, name: string, value: Cbor) {
  const parts = [
    ...[ITEM, DIGEST_ID, cborHead(MAJOR.unsigned, digestID), RANDOM, SALT, salt],
    ...[IDENTIFIER, ...text(name), VALUE, ...encodedValue(value)],
  ]
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const embedded = Buffer.concat([EMBEDDED, cborHead(MAJOR.bytes, length), ...parts])
  return {
    item: embedded.subarray(embedded.length - length),
    digest: hash('sha256', embedded, 'buffer'),
  }
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
    return new Tag(ENCODED_CBOR, item)
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
