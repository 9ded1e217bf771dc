import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { endOfNonce, makeNonce, type NonceKey } from '../../../protocol/openid/oid4vci/nonces.ts'
import { TX_CODE_DIGITS } from '../../../protocol/openid/oid4vci/offers.ts'
import type { Dependencies } from '../../dependencies.ts'
import { isSame, keyFor } from '../../frame/secrets.ts'

const NONCE_BYTES = 16

type Handle = 'transaction' | 'notification'

/** Codes, nonces and handles of sessions, by keys that are derived from the master key. */
export function createSessionSecrets({ config, now }: Pick<Dependencies, 'config' | 'now'>) {
  const keyOf = (purpose: string) => keyFor(config.masterKey, `openid-sessions/${purpose}`)
  const keys = { txCode: keyOf('tx-code'), nonce: keyOf('nonce'), handle: keyOf('handle') }

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
      isSame(txCodeDigest(sessionId, txCode), digest),
    newNonce: (tenantId: string, purpose: NonceKey['purpose']): string =>
      makeNonce(nonceKey(tenantId, purpose), now(), randomBytes(NONCE_BYTES)),
    endOfNonce: (tenantId: string, purpose: NonceKey['purpose'], nonce: string): Date | undefined =>
      endOfNonce(nonceKey(tenantId, purpose), nonce, now()),
    /** The same for each answer about one issuance; only the wallet that got it knows it. */
    handle,
    isHandle: (kind: Handle, issuanceId: string, given: string): boolean => isSame(handle(kind, issuanceId), given),
  }
}

export type SessionSecrets = ReturnType<typeof createSessionSecrets>
