import { gunzip, gzipSync } from 'node:zlib'
import { type Cbor, encodeCbor } from '../cose/cbor.ts'
import { coseFault, HEADER, type ToSign } from '../cose/sign1.ts'
import type { VerificationKey } from '../data-integrity/keys.ts'
import { Refusal } from '../errors.ts'
import { getBit } from '../status-list/index.ts'
import {
  assertSubject,
  CLAIM,
  endOf,
  listBounds,
  listClaims,
  malformedList,
  type ReadList,
  readStatuses,
  TOKEN_TYPES,
  tokenCwtPayload,
  type UnsignedToken,
  unpack,
} from '../status-list/token.ts'
import { type Clock, hasCome } from '../time.ts'
import { BIT_INDEX_LIST, claimsOf, readCwt, registeredClaims, type StatusEntry } from './cwt.ts'

export interface UnsignedList extends UnsignedToken {
  issuer: string
  /** DID URL of the key. */
  keyUrl: string
}

/** The fragment of a DID URL: the `kid` of a CWT. */
export const kidOf = (keyUrl: string): Uint8Array => Buffer.from(keyUrl.slice(keyUrl.indexOf('#') + 1))

/** The list that claim -65537 of our credentials names, as a CWT. */
export const bitIndexList = (list: UnsignedList): ToSign => ({
  protected: new Map([[HEADER.kid, kidOf(list.keyUrl)]]),
  payload: encodeCbor(new Map([...listClaims(list), [BIT_INDEX_LIST, gzipSync(list.bits, { level: 9 })]])),
})

/** The same statuses as a Status List Token in CWT format. */
export const statusListCwt = (list: UnsignedList): ToSign => ({
  protected: new Map<number, Cbor>([
    [HEADER.kid, kidOf(list.keyUrl)],
    [HEADER.typ, TOKEN_TYPES.cwt],
  ]),
  payload: tokenCwtPayload(list),
})

/**
 * Reads and verifies a list in the form of a CWT that a credential names by the kind of its entry. Throws
 * `Refusal('status_list.…')`.
 */
export async function readList(
  bytes: Uint8Array,
  { kind, url }: StatusEntry,
  issuer: string,
  keyOf: (kid: string) => Promise<VerificationKey>,
  clock: Clock,
): Promise<ReadList> {
  const bounds = listBounds()
  const message = readCwt(bytes, bounds)
  const map = claimsOf(message, bounds)
  const { iss } = registeredClaims(map)
  const kid = message.protected.get(HEADER.kid)
  if (!(kid instanceof Uint8Array)) throw malformedList('its protected header has no kid')
  if (iss !== undefined && iss !== issuer)
    throw new Refusal('status_list.mismatch', 'The status list is of another issuer.')
  if (coseFault(message, await keyOf(Buffer.from(kid).toString('utf8'))))
    throw new Refusal('status_list.not_verified', 'The signature of the status list is not one of the issuer.')
  const expiresAt = endOf(map)
  if (expiresAt && hasCome(expiresAt, clock))
    throw new Refusal('status_list.not_verified', 'The status list has expired.')
  const end = expiresAt && { expiresAt }
  if (kind === 'token') {
    if (message.protected.get(HEADER.typ) !== TOKEN_TYPES.cwt) throw malformedList(`its typ is not ${TOKEN_TYPES.cwt}`)
    return { ...end, ...(await readStatuses(map, url)) }
  }
  // no document defines the claims of such a list, so that one without a sub is taken (D-338)
  if (map.has(CLAIM.sub)) assertSubject(map, url)
  const packed = map.get(BIT_INDEX_LIST)
  if (!(packed instanceof Uint8Array)) throw malformedList(`it has no claim ${BIT_INDEX_LIST}`)
  const bits = await unpack(packed, gunzip)
  const isSet = (index: number) => getBit(bits, index)
  return { ...end, bytes: bits.length, valueAt: (index) => Number(isSet(index)), isSet }
}
