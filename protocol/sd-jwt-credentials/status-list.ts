import { inflate } from 'node:zlib'
import { fromBase64url } from '../base64url.ts'
import type { VerificationKey } from '../data-integrity/keys.ts'
import { Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import {
  LIST_BYTES,
  listOfStatuses,
  malformedList,
  type ReadList,
  type TokenEntry,
  unpack,
} from '../status-list/token.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../time.ts'
import { Faulty } from './faults.ts'
import { signatureFault, VERIFIED_ALGORITHMS } from './keys.ts'
import { type ReadJwt, readJwt } from './read.ts'

const TYPE = 'statuslist+jwt'

/** The place that the status names (draft-ietf-oauth-status-list, section 6.2); undefined for one of another kind. */
export function statusEntryOf(status: unknown): TokenEntry | undefined {
  const list = isObject(status) ? status.status_list : undefined
  if (!isObject(list)) return undefined
  const { idx, uri } = list
  if (!Number.isSafeInteger(idx) || Number(idx) < 0 || typeof uri !== 'string' || !URL.canParse(uri)) return undefined
  return { index: Number(idx), url: uri }
}

const notVerified = (message: string) => new Refusal('status_list.not_verified', message)

function tokenOf(bytes: Uint8Array): ReadJwt {
  if (bytes.length > LIST_BYTES) throw malformedList('it is too large')
  try {
    return readJwt(Buffer.from(bytes).toString('latin1').trim(), 'Status', 'status_list')
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    throw malformedList(error.message)
  }
}

const timeOf = (claims: Json, name: string): Date | undefined => {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return momentOfSeconds(value)
  throw malformedList(`its ${name} is not a number of seconds`)
}

/**
 * Reads and verifies a Status List Token in JWT format (draft-ietf-oauth-status-list, sections 5.1 and 8.3). `keyOf` finds
 * the key of the list, which must be one of the credential's issuer. Throws `Refusal('status_list.…')`.
 */
export async function readStatusListJwt(
  bytes: Uint8Array,
  url: string,
  keyOf: (token: Pick<ReadJwt, 'header' | 'payload'>) => Promise<VerificationKey>,
  clock: Clock,
): Promise<ReadList> {
  const token = tokenOf(bytes)
  const { header, payload } = token
  if (header.typ !== TYPE) throw malformedList(`its typ is not ${TYPE}`)
  if (header.crit !== undefined || !VERIFIED_ALGORITHMS.includes(String(header.alg)))
    throw malformedList('its header has an algorithm or critical parameters that are not supported')
  if (payload.sub !== url) throw new Refusal('status_list.mismatch', 'The sub of the status list differs from its URL.')
  if (signatureFault(token, await keyOf(token)))
    throw notVerified('The signature of the status list is not one of the issuer.')
  const [issuedAt, expiresAt] = [timeOf(payload, 'iat'), timeOf(payload, 'exp')]
  if (issuedAt && isToCome(issuedAt, clock)) throw notVerified('The status list was issued in the future.')
  if (expiresAt && hasCome(expiresAt, clock)) throw notVerified('The status list has expired.')
  const list = payload.status_list
  const { bits, lst } = isObject(list) ? list : {}
  const packed = typeof lst === 'string' ? fromBase64url(lst) : undefined
  if (!packed || typeof bits !== 'number' || ![1, 2, 4, 8].includes(bits))
    throw malformedList('it has no status_list with bits and lst')
  return { ...(expiresAt && { expiresAt }), ...listOfStatuses(await unpack(packed, inflate), bits) }
}
