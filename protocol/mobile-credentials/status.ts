import { type Cbor, type CborMap, decodeCbor, isCborMap, isTag } from '../cose/cbor.ts'
import { coseSign1Of, HEADER, type ToSign } from '../cose/sign1.ts'
import { Refusal } from '../errors.ts'
import {
  endOf,
  listBounds,
  malformedList,
  type ReadList,
  readStatuses,
  TOKEN_TYPES,
  type TokenEntry,
  tokenCwtPayload,
  type UnsignedToken,
} from '../status-list/token.ts'
import { type Clock, hasCome } from '../time.ts'
import { type Certificate, isIssuedBy, signerFaults } from './certificates.read.ts'
import { readChain } from './chains.ts'
import { isFitFor, isSignedByKey } from './device-auth.ts'
import { issuersAmong, mayIssue } from './issued.ts'

/** A CWT may have its own tag around that of COSE (RFC 8392, section 6). */
const CWT_TAG = 61

/** `status` of an MSO (draft-ietf-oauth-status-list, section 6.3; ISO/IEC 18013-5, second edition). */
export const statusMember = ({ index, url }: TokenEntry): CborMap =>
  new Map([['status_list', new Map<string, Cbor>([['idx', index], ['uri', url]])]]) // biome-ignore format: one pair

/** The place that the status of an MSO names; undefined for a status of a kind that is not read. */
export function statusEntryOf(status: Cbor): TokenEntry | undefined {
  const list = isCborMap(status) ? status.get('status_list') : undefined
  if (!isCborMap(list)) return undefined
  const [index, url] = [list.get('idx'), list.get('uri')]
  if (!Number.isSafeInteger(index) || Number(index) < 0 || typeof url !== 'string' || !URL.canParse(url))
    return undefined
  return { index: Number(index), url }
}

/** A Status List Token in CWT format whose signer says by its certificate who it is. */
export const mobileListCwt = (list: UnsignedToken, certificate: Uint8Array): ToSign => ({
  protected: new Map([[HEADER.typ, TOKEN_TYPES.cwt]]),
  unprotected: new Map([[HEADER.x5chain, certificate]]),
  payload: tokenCwtPayload(list),
})

/** Who may sign the list of a credential. */
export interface ListTrust {
  /** The trusted certificate that the credential leads to. */
  iaca: Certificate
  /** Where that is the certificate of the credential's signer itself: those of who has issued it. */
  issuers?: readonly Certificate[]
  isRevoked(signer: Certificate): boolean
}

/** As many as a credential may have. */
const MAX_CHAIN = 10
const NOTHING = new Uint8Array()

const notVerified = (message: string) => new Refusal('status_list.not_verified', message)

/** The certificate that signed a list, which the IACA of the credential must have issued. */
async function listSigner(chain: Cbor, trust: ListTrust, { now, toleranceMs = 0 }: Clock): Promise<Certificate> {
  const { iaca, issuers = [], isRevoked } = trust
  const given = Array.isArray(chain) ? chain : [chain]
  if (given.length > MAX_CHAIN) throw malformedList(`its x5chain has more than ${MAX_CHAIN} certificates`)
  const [signer, ...others] = await readChain(given.map((each) => (each instanceof Uint8Array ? each : NOTHING)))
  if (!signer) throw malformedList('its x5chain has no certificate')
  // a signer that is trusted by itself has another one of its authority beside it, which signs the list (D-1087)
  const authorities = iaca.isAuthority
    ? [iaca]
    : [
        ...issuers,
        ...issuersAmong(
          others.filter((each) => each !== undefined),
          iaca,
        ),
      ]
  const authority =
    signer.fingerprint === iaca.fingerprint
      ? iaca
      : authorities.find((each) => mayIssue(each) && isIssuedBy(signer, each))
  if (!authority) throw notVerified('The IACA of the credential did not issue the certificate of its status list.')
  if (signerFaults(signer, authority).length > 0)
    throw notVerified('The certificate of the status list is not one of a document signer.')
  const isOver = now.getTime() > signer.notAfter.getTime() + toleranceMs
  if (isOver || now.getTime() < signer.notBefore.getTime() - toleranceMs || isRevoked(signer))
    throw notVerified('The certificate of the status list is revoked or not valid now.')
  return signer
}

/** Reads and verifies the list that an MSO names. Throws `Refusal('status_list.…')`. */
export async function readMobileList(
  bytes: Uint8Array,
  url: string,
  trust: ListTrust,
  clock: Clock,
): Promise<ReadList> {
  const bounds = listBounds()
  const item = decodeCbor(bytes, bounds)
  const message = coseSign1Of(isTag(item) && Number(item.tag) === CWT_TAG ? (item.contents as Cbor) : item, bounds)
  const { protected: header, unprotected, payload } = message
  const signer = await listSigner(unprotected.get(HEADER.x5chain) ?? header.get(HEADER.x5chain), trust, clock)
  if (header.get(HEADER.typ) !== TOKEN_TYPES.cwt) throw malformedList(`its typ is not ${TOKEN_TYPES.cwt}`)
  if (!payload || !isFitFor(message, signer.publicKey) || !isSignedByKey(message, signer.publicKey))
    throw notVerified('The signature of the status list does not verify.')
  const claims = decodeCbor(payload, bounds)
  if (!isCborMap(claims)) throw malformedList('its payload is not a map of claims')
  const expiresAt = endOf(claims)
  if (expiresAt && hasCome(expiresAt, clock)) throw notVerified('The status list has expired.')
  return { ...(expiresAt && { expiresAt }), ...(await readStatuses(claims, url)) }
}
