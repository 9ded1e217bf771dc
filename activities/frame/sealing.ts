import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { keyFor } from './secrets.ts'

/** Encrypts data that must be unreadable to somebody who has only the database. AES-256-GCM. */
export interface Sealer {
  seal(plain: Uint8Array, boundTo: string): Buffer
  open(sealed: Uint8Array, boundTo: string): Buffer
}

const NONCE = 12
const TAG = 16

/**
 * `purpose` separates the keys; `boundTo` (additional data) ties a value to its row, so that swapped rows do not open.
 */
export function createSealer(masterKey: Uint8Array, purpose: string): Sealer {
  const key = keyFor(masterKey, purpose)
  return {
    seal(plain, boundTo) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, boundTo) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(
        Buffer.from(boundTo),
      )
      decipher.setAuthTag(bytes.subarray(-TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()])
    },
  }
}
