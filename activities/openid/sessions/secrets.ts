import { createHash, createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { endOfNonce, makeNonce, type NonceKey } from '../../../protocol/openid/oid4vci/nonces.ts'
import { TX_CODE_DIGITS } from '../../../protocol/openid/oid4vci/offers.ts'
import type { Dependencies } from '../../dependencies.ts'

/** Of codes and access tokens: 256 random bits, so that a plain digest cannot be guessed back. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const newSecret = (): string => randomBytes(32).toString('base64url')

const NONCE_BYTES = 16

type Handle = 'transaction' | 'notification'

/** Codes, nonces and handles of sessions, by keys that are derived from the master key. */
export function createSessionSecrets({ config, now }: Pick<Dependencies, 'config' | 'now'>) {
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', config.masterKey, '', `countersign/openid-sessions/${purpose}`, 32))
  const keys = { txCode: keyFor('tx-code'), nonce: keyFor('nonce'), handle: keyFor('handle') }

  const txCodeDigest = (sessionId: string, txCode: string): Buffer =>
    createHmac('sha256', keys.txCode).update(`${sessionId}/${txCode}`).digest()

  const nonceKey = (tenantId: string, purpose: NonceKey['purpose']): NonceKey => ({
    key: keys.nonce,
    tenantId,
    purpose,
  })

  const handle = (kind: Handle, issuanceId: string): string =>
    createHmac('sha256', keys.handle).update(`${kind}/${issuanceId}`).digest('base64url')

  return {
    newTxCode: (): string => String(randomInt(10 ** TX_CODE_DIGITS)).padStart(TX_CODE_DIGITS, '0'),
    /** Keyed, because somebody who has the database could try all transaction codes. */
    txCodeDigest,
    isTxCode: (sessionId: string, txCode: string, digest: Uint8Array): boolean =>
      timingSafeEqual(txCodeDigest(sessionId, txCode), digest),
    newNonce: (tenantId: string, purpose: NonceKey['purpose']): string =>
      makeNonce(nonceKey(tenantId, purpose), now(), randomBytes(NONCE_BYTES)),
    endOfNonce: (tenantId: string, purpose: NonceKey['purpose'], nonce: string): Date | undefined =>
      endOfNonce(nonceKey(tenantId, purpose), nonce, now()),
    /** The same for each answer about one issuance; only the wallet that got it knows it. */
    handle,
    isHandle(kind: Handle, issuanceId: string, given: string): boolean {
      const [own, other] = [Buffer.from(handle(kind, issuanceId)), Buffer.from(given)]
      return own.length === other.length && timingSafeEqual(own, other)
    },
  }
}

export type SessionSecrets = ReturnType<typeof createSessionSecrets>
