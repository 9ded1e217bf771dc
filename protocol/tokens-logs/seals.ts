import { isObject } from '../json.ts'
import { jsonOf, parseCompactJws } from '../jws.ts'
import { isUuid } from '../uuid.ts'
import type { Link } from './chain.ts'

/** Keeps a seal from being taken for another thing that the platform signs. */
export const SEAL_TYPE = 'countersign-log-seal'

/**
 * `head`: the chain had this place and hash at this time. `checkpoint`: retention removed the entries up to this place, and
 * the chain goes on from its hash.
 */
export type SealKind = 'head' | 'checkpoint'

/** What a seal says, and its signature covers. */
export interface Seal extends Link {
  kind: SealKind
  tenantId: string
  /** RFC 3339, in UTC. */
  signedAt: string
}

/** A seal as a compact JWS says it, whose signature was not verified yet. */
export interface ReadSeal extends Seal {
  keyId: string
  signature: Uint8Array
  /** What the signature covers. */
  signed: Uint8Array
}

/** Undefined for every text that is not a seal. */
export function readSeal(jws: string): ReadSeal | undefined {
  const parsed = parseCompactJws(jws)
  if (parsed?.header.alg !== 'EdDSA' || parsed.header.typ !== SEAL_TYPE) return undefined
  const { kid } = parsed.header
  if (typeof kid !== 'string' || !isUuid(kid)) return undefined
  const payload = payloadOf(parsed.payload)
  if (!isObject(payload)) return undefined
  const { kind, tenantId, position, hash, signedAt } = payload
  if (kind !== 'head' && kind !== 'checkpoint') return undefined
  if (typeof tenantId !== 'string' || typeof position !== 'number' || !Number.isSafeInteger(position)) return undefined
  if (typeof hash !== 'string' || typeof signedAt !== 'string') return undefined
  const signed = Buffer.from(jws.slice(0, jws.lastIndexOf('.')))
  return { kind, tenantId, position, hash, signedAt, keyId: kid, signature: parsed.signature, signed }
}

function payloadOf(bytes: Uint8Array): unknown {
  try {
    return jsonOf(bytes)
  } catch {
    return undefined // not JSON, so no seal
  }
}
