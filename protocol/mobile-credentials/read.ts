import { type Cbor, type CborBounds, type CborMap, decodeCbor, isCborMap, isTag } from '../cose/cbor.ts'
import { type CoseSign1, coseSign1Of, HEADER } from '../cose/sign1.ts'
import { countElements } from '../credentials/certificate.elements.ts'
import { momentOf } from '../dates.ts'
import { Refusal } from '../errors.ts'
import { ENCODED_CBOR, MAX_ITEMS } from './issuer-signed.ts'
import { toJson } from './shown.ts'

/** What is read of an mdoc; a longer one, or other bytes, are no mdoc. */
export const MDOC = { code: 'credential.malformed', maxBytes: 1_048_576 } as const satisfies CborBounds

/**
 * Elements of DER in the certificates of one answer, each certificate once: twenty documents of as many signers, and their
 * IACAs, have fewer.
 */
const MAX_CHAIN_ELEMENTS = 3_000

/** Data items of what is read besides: headers of a device, or the transcript of a session. */
const MAX_OTHER_ITEMS = 1_000

/** Bounds of one read. */
const bounded = (left: number): CborBounds => ({ ...MDOC, items: { left } })

export const otherBounds = (code: string): CborBounds => ({ ...bounded(MAX_OTHER_ITEMS), code })

const malformed = (what: string) => new Refusal(MDOC.code, `The mdoc is malformed: ${what}.`)

const isBytes = (value: Cbor): value is Uint8Array => value instanceof Uint8Array

/** The bytes of embedded CBOR, tag 24. */
function embedded(value: Cbor, what: string): Uint8Array {
  const content = isTag(value) && Number(value.tag) === ENCODED_CBOR ? (value.contents as Cbor) : undefined
  if (content === undefined || !isBytes(content)) throw malformed(`${what} is not embedded CBOR (tag 24)`)
  return content
}

const mapOf = (value: Cbor, what: string): CborMap => {
  if (isCborMap(value)) return value
  throw malformed(`${what} is not a map`)
}

const textOf = (value: Cbor, what: string): string => {
  if (typeof value === 'string') return value
  throw malformed(`${what} is not a text`)
}

/** Date-time, time in seconds, embedded CBOR, URI, UUID, days, full-date. */
const TAGS: readonly number[] = [0, 1, ENCODED_CBOR, 32, 37, 100, 1004]

/** The first tag of a value that is none of these. */
function otherTag(value: Cbor, tags: readonly number[]): number | undefined {
  if (isTag(value)) return tags.includes(Number(value.tag)) ? otherTag(value.contents as Cbor, tags) : Number(value.tag)
  if (!Array.isArray(value) && !isCborMap(value)) return undefined
  for (const member of value.values()) {
    const tag = otherTag(member, tags)
    if (tag !== undefined) return tag
  }
  return undefined
}

/**
 * Decodes CBOR that @auth0/mdl reads after us. Its decoder, cbor-x, acts on tags that can cost time and memory without
 * bound (bignums, packed values, records), so that only those are taken on which it does not.
 */
function decodePlain(bytes: Uint8Array, what: string, bounds: CborBounds): Cbor {
  const value = decodeCbor(bytes, bounds)
  const other = otherTag(value, TAGS)
  if (other !== undefined) throw malformed(`${what} has the CBOR tag ${other}; read are ${TAGS.join(', ')}`)
  return value
}

export interface Item {
  digestId: number
  name: string
  value: Cbor
  /** IssuerSignedItem as it was received; its digest is over these bytes in tag 24. */
  bytes: Uint8Array
}

function itemOf(value: Cbor, bounds: CborBounds): Item {
  const content = embedded(value, 'an element')
  const item = mapOf(decodePlain(content, 'an element', bounds), 'an element')
  const digestId = item.get('digestID')
  if (typeof digestId !== 'number' || digestId < 0) throw malformed('a digestID is not an unsigned integer')
  if (!isBytes(item.get('random'))) throw malformed('the random of an element is not a byte string')
  return {
    digestId,
    name: textOf(item.get('elementIdentifier'), 'an elementIdentifier'),
    value: item.get('elementValue'),
    bytes: content,
  }
}

export interface MobileSecurityObject {
  version: string
  digestAlgorithm: string
  digests: Map<string, CborMap>
  deviceKey: CborMap | undefined
  docType: string
  signed: Date
  validFrom: Date
  validUntil: Date
  status: Cbor
}

function momentIn(validity: CborMap, name: string): Date {
  const value = validity.get(name)
  const moment = isTag(value) && Number(value.tag) === 0 ? momentOf(value.contents, { zoneRequired: true }) : undefined
  if (!moment) throw malformed(`${name} of validityInfo is not a tdate`)
  return moment
}

function msoOf(bytes: Uint8Array, bounds: CborBounds): MobileSecurityObject {
  const mso = mapOf(decodePlain(embedded(decodeCbor(bytes, bounds), 'the MSO'), 'the MSO', bounds), 'the MSO')
  const validity = mapOf(mso.get('validityInfo'), 'validityInfo')
  if ([...validity.values()].some(isBytes)) throw malformed('validityInfo has a byte string') // cbor-x would decode it
  const info = mso.get('deviceKeyInfo')
  return {
    version: textOf(mso.get('version'), 'version'),
    digestAlgorithm: textOf(mso.get('digestAlgorithm'), 'digestAlgorithm'),
    digests: new Map(
      [...mapOf(mso.get('valueDigests'), 'valueDigests')].map(([name, digests]) => [
        String(name),
        mapOf(digests, 'the digests of a namespace'),
      ]),
    ),
    deviceKey: info === undefined ? undefined : mapOf(mapOf(info, 'deviceKeyInfo').get('deviceKey'), 'deviceKey'),
    docType: textOf(mso.get('docType'), 'docType'),
    signed: momentIn(validity, 'signed'),
    validFrom: momentIn(validity, 'validFrom'),
    validUntil: momentIn(validity, 'validUntil'),
    status: mso.get('status'),
  }
}

export interface IssuerSigned {
  nameSpaces: Map<string, Item[]>
  issuerAuth: CoseSign1
  /** Certificates in DER, the document signer's first (RFC 9360, x5chain). */
  chain: Uint8Array[]
  mso: MobileSecurityObject
}

function chainOf({ unprotected, protected: header }: CoseSign1): Uint8Array[] {
  const chain = unprotected.get(HEADER.x5chain) ?? header.get(HEADER.x5chain)
  const certificates = Array.isArray(chain) ? chain : [chain]
  if (certificates.length === 0 || certificates.length > 10 || !certificates.every(isBytes))
    throw malformed('x5chain is not one certificate or a list of up to 10')
  return certificates
}

/** The time that @auth0/mdl takes grows with their square. */
const MAX_NAMESPACES = 100

function issuerSignedOf(value: Cbor, bounds: CborBounds): IssuerSigned {
  const issuerSigned = mapOf(value, 'IssuerSigned')
  const spaces = issuerSigned.get('nameSpaces')
  const nameSpaces = new Map<string, Item[]>()
  const entries = spaces === undefined ? [] : [...mapOf(spaces, 'nameSpaces')]
  if (entries.length > MAX_NAMESPACES) throw malformed(`it has more than ${MAX_NAMESPACES} namespaces`)
  for (const [name, items] of entries) {
    if (!Array.isArray(items)) throw malformed('the elements of a namespace are not an array')
    nameSpaces.set(
      String(name),
      items.map((item) => itemOf(item, bounds)),
    )
  }
  const issuerAuth = coseSign1Of(issuerSigned.get('issuerAuth'), bounds)
  if (!issuerAuth.payload) throw malformed('issuerAuth has no payload')
  if (otherTag(issuerAuth.protected, []) !== undefined)
    throw malformed('the protected header of issuerAuth has a CBOR tag')
  return { nameSpaces, issuerAuth, chain: chainOf(issuerAuth), mso: msoOf(issuerAuth.payload, bounds) }
}

export interface Mdoc extends IssuerSigned {
  /** Of a document of a device response; IssuerSigned alone has it in the MSO only. */
  docType: string | undefined
  deviceSigned: { nameSpaces: Uint8Array; shown: unknown; signature: Cbor; mac: Cbor } | undefined
}

/** The COSE_Sign1 or COSE_Mac0 of a device, whose parts are the same (RFC 9052, section 6.2). */
export function deviceMessageOf(value: Cbor): CoseSign1 {
  const message = coseSign1Of(value, bounded(MAX_OTHER_ITEMS))
  if (otherTag(message.protected, []) !== undefined)
    throw malformed('the protected header of the device has a CBOR tag')
  return message
}

function deviceSignedOf(value: Cbor, bounds: CborBounds): Mdoc['deviceSigned'] {
  if (value === undefined) return undefined
  const signed = mapOf(value, 'deviceSigned')
  const auth = mapOf(signed.get('deviceAuth'), 'deviceAuth')
  const nameSpaces = embedded(signed.get('nameSpaces'), 'nameSpaces of deviceSigned')
  const shown = toJson(mapOf(decodeCbor(nameSpaces, bounds), 'nameSpaces of deviceSigned'))
  return { nameSpaces, shown, signature: auth.get('deviceSignature'), mac: auth.get('deviceMac') }
}

const MAX_DOCUMENTS = 20

function documentsIn(bytes: Uint8Array): Mdoc[] {
  const bounds = bounded(MAX_ITEMS)
  const top = mapOf(decodeCbor(bytes, bounds), 'it')
  if (top.has('issuerAuth')) return [{ ...issuerSignedOf(top, bounds), docType: undefined, deviceSigned: undefined }]
  if (!/^1\.\d$/.test(textOf(top.get('version'), 'version'))) throw malformed('its version is not 1.x')
  const documents = top.get('documents')
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MAX_DOCUMENTS)
    throw malformed(`it has neither issuerAuth nor 1 to ${MAX_DOCUMENTS} documents`)
  if (top.get('status') !== 0) throw malformed('the status of the device response is not 0')
  return documents.map((each) => {
    const document = mapOf(each, 'a document')
    return {
      ...issuerSignedOf(document.get('issuerSigned'), bounds),
      docType: textOf(document.get('docType'), 'docType'),
      deviceSigned: deviceSignedOf(document.get('deviceSigned'), bounds),
    }
  })
}

/** Nothing of them is verified when they are read, and the library for them takes long. */
function assertFewElements(mdocs: readonly Mdoc[]): void {
  const different = new Map(
    mdocs.flatMap(({ chain }) => chain.map((der) => [Buffer.from(der).toString('latin1'), der])),
  )
  let left = MAX_CHAIN_ELEMENTS
  for (const der of different.values()) if (left >= 0) left -= countElements(der, left)
  if (left < 0) throw malformed(`its certificates have more than ${MAX_CHAIN_ELEMENTS} elements of DER`)
}

/** Reads IssuerSigned, or the documents of a DeviceResponse (ISO/IEC 18013-5, 8.3.2.1.2.2). Throws `credential.malformed`. */
export function readMdocs(bytes: Uint8Array): Mdoc[] {
  const mdocs = documentsIn(bytes)
  assertFewElements(mdocs)
  return mdocs
}

/** Elements by namespace, as JSON. */
export const shownNameSpaces = (
  spaces: ReadonlyMap<string, readonly Item[]>,
): Record<string, Record<string, unknown>> =>
  toJson(
    new Map(
      [...spaces].map(([name, items]): [string, Cbor] => [name, new Map(items.map((item) => [item.name, item.value]))]),
    ),
  ) as Record<string, Record<string, unknown>>
