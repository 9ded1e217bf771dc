import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { envelopeMark } from '../../entities/administration/master-key.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { KeyRef } from './index.ts'
import type { KeyMaterial, Random } from './material.ts'

/** Stored form of one local key. */
export interface EnvelopeRow {
  publicKey: Uint8Array
  envelope: Uint8Array
}

/** The rows of local keys, each named by tenant, key id and type together. */
export interface EnvelopeRows {
  /** Keeps the first row of a key id; a later one is dropped without an error. */
  insert(ref: KeyRef, row: EnvelopeRow): Promise<void>
  find(ref: KeyRef): Promise<EnvelopeRow | undefined>
  remove(ref: KeyRef): Promise<void>
}

const VERSION = 1
const MARK_BYTES = 4
const SALT_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + MARK_BYTES + SALT_BYTES + NONCE_BYTES
/** Of a P-384 key 48: its length does not say more than its type, which stands beside it. */
const secretBytes = ({ keyType }: KeyRef): number => (keyType === 'p384' ? 48 : 32)

const derive = (masterKey: Uint8Array, salt: Uint8Array, info: string, size: number) =>
  Buffer.from(hkdfSync('sha256', masterKey, salt, info, size))

const rowKey = (masterKey: Uint8Array, salt: Uint8Array) => derive(masterKey, salt, 'countersign key envelope 1', 32)

/** Binds an envelope to its place and its public key: a row that was swapped or edited does not open. */
const associatedData = ({ tenantId, keyId, keyType }: KeyRef, publicKey: Uint8Array) =>
  Buffer.from(JSON.stringify([VERSION, tenantId, keyId, keyType, Buffer.from(publicKey).toString('base64url')]))

/**
 * AES-256-GCM under a key of its own per row (HKDF-SHA-256 of the master key, RFC 5869, with a random salt):
 * version (1 byte) ‖ mark of the master key (4) ‖ salt (32) ‖ nonce (12) ‖ ciphertext (32 or 48) ‖ tag (16).
 */
export function sealKey(masterKey: Uint8Array, ref: KeyRef, material: KeyMaterial, random: Random): EnvelopeRow {
  const salt = random(SALT_BYTES)
  const nonce = random(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', rowKey(masterKey, salt), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associatedData(ref, material.publicKey))
  const sealed = [cipher.update(material.secret), cipher.final(), cipher.getAuthTag()]
  const envelope = Buffer.concat([Buffer.from([VERSION]), envelopeMark(masterKey), salt, nonce, ...sealed])
  return { publicKey: material.publicKey, envelope }
}

const refusal = (message: string) => new Refusal('key.envelope_refused', message)

/** Throws `Refusal('key.envelope_refused')` for a row that is damaged, of another key, or under another master key. */
export function openKey(masterKey: Uint8Array, ref: KeyRef, row: EnvelopeRow): KeyMaterial {
  const envelope = Buffer.from(row.envelope)
  if (envelope.length !== HEAD_BYTES + secretBytes(ref) + TAG_BYTES || envelope[0] !== VERSION) {
    throw refusal('The stored key is damaged.')
  }
  if (!envelopeMark(masterKey).equals(envelope.subarray(1, 1 + MARK_BYTES))) {
    throw refusal('The stored key was sealed under another master key: check KEY_STORE_MASTER_KEY.')
  }
  const salt = envelope.subarray(1 + MARK_BYTES, HEAD_BYTES - NONCE_BYTES)
  const nonce = envelope.subarray(HEAD_BYTES - NONCE_BYTES, HEAD_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', rowKey(masterKey, salt), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associatedData(ref, row.publicKey)).setAuthTag(envelope.subarray(-TAG_BYTES))
  const secret = decipher.update(envelope.subarray(HEAD_BYTES, -TAG_BYTES))
  try {
    decipher.final()
  } catch {
    throw refusal('The stored key does not belong to this tenant and key id.')
  }
  return { secret, publicKey: row.publicKey }
}
