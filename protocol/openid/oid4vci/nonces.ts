import { createHmac, timingSafeEqual } from 'node:crypto'
import { fromBase64url } from '../../base64url.ts'

/** Seconds for which a nonce can be used. */
export const NONCE_SECONDS = 300

const RANDOM_BYTES = 16
const END_BYTES = 6
const MAC_BYTES = 16
const BYTES = RANDOM_BYTES + END_BYTES + MAC_BYTES

/** `purpose` and tenant separate nonces: one for proofs of keys is none for DPoP, and one of a tenant is none elsewhere. */
export interface NonceKey {
  key: Uint8Array
  tenantId: string
  purpose: 'proof' | 'dpop' | 'attestation'
}

const macOf = ({ key, tenantId, purpose }: NonceKey, body: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${purpose}/${tenantId}/`).update(body).digest().subarray(0, MAC_BYTES)

/**
 * Makes a nonce that carries its own end and authentication: whoever asks for a million of them stores nothing with us
 * (OpenID4VCI 1.0, section 7). `random`: 16 bytes.
 */
export function makeNonce(nonceKey: NonceKey, now: Date, random: Uint8Array): string {
  const end = Buffer.alloc(END_BYTES)
  end.writeUIntBE(Math.floor(now.getTime() / 1000) + NONCE_SECONDS, 0, END_BYTES)
  const body = Buffer.concat([random.subarray(0, RANDOM_BYTES), end])
  return Buffer.concat([body, macOf(nonceKey, body)]).toString('base64url')
}

/** The end of a nonce that we made for this tenant and purpose and that has not ended; undefined for any other text. */
export function endOfNonce(nonceKey: NonceKey, nonce: string, now: Date): Date | undefined {
  const bytes = nonce.length <= 2 * BYTES ? fromBase64url(nonce) : undefined
  if (bytes?.length !== BYTES) return undefined
  const [body, mac] = [Buffer.from(bytes.subarray(0, -MAC_BYTES)), bytes.subarray(-MAC_BYTES)]
  if (!timingSafeEqual(macOf(nonceKey, body), mac)) return undefined
  const end = new Date(body.readUIntBE(RANDOM_BYTES, END_BYTES) * 1000)
  return end > now ? end : undefined
}
