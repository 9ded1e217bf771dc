import {
  embedded,
  fromBase32,
  fromBase64Url,
  isBytes,
  member,
  read,
  readSign1,
  textOf,
  toBase64,
  untagged,
} from './cbor.ts'

/** IANA, COSE Algorithms. */
const ALGORITHMS = new Map<unknown, string>([
  [-7, 'ES256'],
  [-8, 'EdDSA'],
  [-35, 'ES384'],
  [-36, 'ES512'],
])

/** IANA, COSE Header Parameters. */
const HEADERS = new Map<unknown, string>([
  [1, 'alg'],
  [2, 'crit'],
  [3, 'content type'],
  [4, 'kid'],
  [16, 'typ'],
  [33, 'x5chain'],
])

/** IANA, CBOR Web Token Claims. */
const CLAIMS = new Map<unknown, string>([
  [1, 'iss'],
  [2, 'sub'],
  [3, 'aud'],
  [4, 'exp'],
  [5, 'nbf'],
  [6, 'iat'],
  [7, 'cti'],
])

/** Claims that are NumericDate (RFC 7519, section 4.1; RFC 8392, section 3.1). */
export const TIMES: ReadonlySet<string> = new Set(['exp', 'nbf', 'iat'])

export interface Entry {
  label: string
  name: string
  value: string
  /** ISO time, where the value is one. */
  at?: string
}

export interface Cwt {
  header: Entry[]
  claims: Entry[]
}

/** Seconds since 1970 as ISO time; undefined where they are none. */
export function timeOf(value: unknown): string | undefined {
  const at = typeof value === 'number' ? new Date(value * 1000) : new Date(Number.NaN)
  return Number.isNaN(at.valueOf()) ? undefined : at.toISOString()
}

function entriesOf(map: unknown, names: ReadonlyMap<unknown, string>): Entry[] {
  if (!(map instanceof Map)) return []
  return [...map].map(([key, value]) => {
    const name = names.get(key) ?? ''
    const at = TIMES.has(name) ? timeOf(untagged(value)) : undefined
    const known = name === 'alg' ? ALGORITHMS.get(value) : undefined
    return { label: textOf(key), name, value: known ?? textOf(value), ...(at && { at }) }
  })
}

/** Header and claims of a compact credential: prefix, and base32 of a COSE_Sign1. Throws for what is none. */
export function readCwt(text: string): Cwt {
  const { header, payload } = readSign1(read(fromBase32(text.slice(text.lastIndexOf('/') + 1))))
  return { header: entriesOf(header, HEADERS), claims: entriesOf(read(payload), CLAIMS) }
}

export interface Element {
  namespace: string
  name: string
  value: string
  digestId: string
}

export interface Mdoc {
  docType: string
  version: string
  digestAlgorithm: string
  signatureAlgorithm: string
  /** Texts of RFC 3339, as they stand there. */
  signed: string
  validFrom: string
  validUntil: string
  /** Whether a device has to prove its key, or the credential has none. */
  hasDeviceKey: boolean
  /** The first certificate of x5chain, in base64. */
  certificate?: string
  elements: Element[]
}

function elementOf(namespace: string, item: unknown): Element {
  const each = embedded(item)
  return {
    namespace,
    name: textOf(member(each, 'elementIdentifier')),
    value: textOf(member(each, 'elementValue')),
    digestId: textOf(member(each, 'digestID')),
  }
}

/** IssuerSigned of a mobile credential (ISO/IEC 18013-5, 8.3.2.1.2.2 and 9.1.2.4). Throws for what is none. */
export function readMdoc(text: string): Mdoc {
  const issuerSigned = read(fromBase64Url(text))
  const { header, payload } = readSign1(member(issuerSigned, 'issuerAuth'))
  const mso = embedded(read(payload))
  const validity = member(mso, 'validityInfo')
  const chain = header.get(33)
  const certificate = Array.isArray(chain) ? chain[0] : chain
  const spaces = member(issuerSigned, 'nameSpaces')
  return {
    docType: textOf(member(mso, 'docType')),
    version: textOf(member(mso, 'version')),
    digestAlgorithm: textOf(member(mso, 'digestAlgorithm')),
    signatureAlgorithm: ALGORITHMS.get(header.get(1)) ?? textOf(header.get(1)),
    signed: textOf(member(validity, 'signed')),
    validFrom: textOf(member(validity, 'validFrom')),
    validUntil: textOf(member(validity, 'validUntil')),
    hasDeviceKey: member(member(mso, 'deviceKeyInfo'), 'deviceKey') !== undefined,
    ...(isBytes(certificate) && { certificate: toBase64(certificate) }),
    elements: (spaces instanceof Map ? [...spaces] : []).flatMap(([namespace, items]) =>
      Array.isArray(items) ? items.map((item) => elementOf(textOf(namespace), item)) : [],
    ),
  }
}
