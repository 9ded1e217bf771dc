import { createHash } from 'node:crypto'
import { type Cbor, type CborMap, cborHead, encodeCbor, MAJOR, Tag } from '../cose/cbor.ts'
import { coseSign1, HEADER } from '../cose/sign1.ts'
import { fromJwk, type PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject } from '../json.ts'
import { typeOf } from './namespaces.ts'
import type { StoredKey } from './signing-crypto.ts'
import { toTdate } from './values.ts'

/** CBOR in a byte string (RFC 8949, section 3.4.5.1). */
export const ENCODED_CBOR = 24
export const embed = (value: Cbor): Tag => new Tag(ENCODED_CBOR, encodeCbor(value))

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
const COSE_CURVES: Readonly<Record<string, { kty: number; crv: number }>> = {
  'P-256': { kty: 2, crv: 1 },
  'P-384': { kty: 2, crv: 2 },
  'P-521': { kty: 2, crv: 3 },
  Ed25519: { kty: 1, crv: 6 },
  X25519: { kty: 1, crv: 4 },
}

/** A public JWK as COSE_Key. Throws `Refusal('credential.invalid')` for one that no device key can be. */
export function coseKeyOf(jwk: PublicJwk, path: string): CborMap {
  const refuse = (message: string) =>
    new Refusal('credential.invalid', 'The device key cannot be used.', [{ path, code: 'device_key', message }])
  const { crv, x, y } = readKey(jwk, refuse)
  const curve = crv !== undefined && Object.hasOwn(COSE_CURVES, crv) ? COSE_CURVES[crv] : undefined
  if (!curve || x === undefined) throw refuse(`expected a public key of ${Object.keys(COSE_CURVES).join(', ')}`)
  const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  return new Map<number, Cbor>([
    [1, curve.kty],
    [-1, curve.crv],
    [-2, coordinate(x)],
    ...(y === undefined ? [] : [[-3, coordinate(y)] as [number, Cbor]]),
  ])
}

function readKey(jwk: PublicJwk, refuse: (message: string) => Refusal): PublicJwk {
  const members = [jwk.kty, jwk.crv, jwk.x, jwk.y]
  if (members.some((member) => member !== undefined && typeof member !== 'string'))
    throw refuse('expected a public JSON Web Key with texts as members')
  try {
    fromJwk(jwk)
    const { kty, crv, x, y } = jwk
    return kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('expected a public JSON Web Key without private members')
  }
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

/** IssuerSignedItem, joined of its parts: the library takes longer for the map than for the value, and an mdoc has dozens. */
const itemOf = (digestID: number, salt: Uint8Array, name: string, value: Cbor): Uint8Array =>
  new Uint8Array(
    Buffer.concat([
      ...[ITEM, DIGEST_ID, cborHead(MAJOR.unsigned, digestID), RANDOM, SALT, salt],
      ...[IDENTIFIER, ...text(name), VALUE],
      ...(typeof value === 'string' ? text(value) : [encodeCbor(value)]),
    ]),
  )

const EMBEDDED = cborHead(MAJOR.tag, ENCODED_CBOR)

/** IssuerSignedItemBytes and their digests (ISO/IEC 18013-5, 8.3.2.1.2.2 and 9.1.2.5). */
function salted(elements: ReadonlyMap<string, Cbor>, random: ToIssue['random']) {
  const ids = shuffled(elements.size, random)
  const salts = random(elements.size * SALT_BYTES)
  const digests: [number, Uint8Array][] = []
  const items = [...elements].map(([name, value], at) => {
    const digestID = ids[at] ?? at
    const item = itemOf(digestID, salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES), name, value)
    const hash = createHash('sha256').update(EMBEDDED).update(cborHead(MAJOR.bytes, item.length)).update(item)
    digests.push([digestID, new Uint8Array(hash.digest())])
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
