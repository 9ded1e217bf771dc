import { createHash, createPublicKey } from 'node:crypto'
import { Unavailable } from '../../../protocol/errors.ts'
import type { CreatedKey, KeyRef } from '../index.ts'
import { withLowS } from '../low-s.ts'
import { rawPublicKey } from '../material.ts'
import { storeName, unknownKey } from '../reference.ts'
import { fields, text, VaultRefusal } from './answers.ts'
import { createSignBatches } from './batches.ts'
import type { VaultClient } from './client.ts'

export type TransitKeyType = 'ed25519' | 'p256'
export type TransitRef = KeyRef & { keyType: TransitKeyType }

export const inTransit = (ref: KeyRef): ref is TransitRef => ref.keyType === 'ed25519' || ref.keyType === 'p256'

const TYPE = { ed25519: 'ed25519', p256: 'ecdsa-p256' } as const

/** Vault returns an Ed25519 public key as base64, the others as PEM. */
const publicKeyOf = (data: unknown): Uint8Array => {
  const { keys, latest_version: version } = fields(data)
  const published = text(fields(fields(keys)[String(version)]).public_key)
  return published.startsWith('-----') ? rawPublicKey(createPublicKey(published)) : Buffer.from(published, 'base64')
}

/** `vault:v1:<signature>`, base64 for Ed25519 and base64url for marshalled JWS; Buffer reads both alphabets. */
const signatureOf = (result: unknown, p256: boolean): Uint8Array | Error => {
  const { signature, error } = fields(result)
  if (typeof signature !== 'string') return new Unavailable('keys', `Vault did not sign: ${String(error)}`)
  const raw = Buffer.from(signature.slice(signature.lastIndexOf(':') + 1), 'base64')
  if (raw.length !== 64) return new Unavailable('keys', 'Vault sent a signature of unexpected length.')
  return p256 ? withLowS(raw) : raw
}

const gone = (error: unknown) =>
  error instanceof VaultRefusal &&
  (error.says('no existing key named') || error.says('could not delete key; not found'))

/** Ed25519 and P-256 in the transit engine, not exportable: the private key never leaves Vault (custody `hardened`). */
export function createTransitKeys(client: VaultClient, mount: string) {
  const batches = createSignBatches(async (name, inputs) => {
    // Vault hashes for Ed25519 itself; for P-256 we send digests, and ask for r‖s instead of ASN.1
    const p256 = name.startsWith('p256-')
    const how = p256 ? { prehashed: true, hash_algorithm: 'sha2-256', marshaling_algorithm: 'jws' } : {}
    const batch_input = inputs.map((input) => ({
      input: (p256 ? createHash('sha256').update(input).digest() : Buffer.from(input)).toString('base64'),
    }))
    try {
      const { data } = await client.write(`${mount}/sign/${name}`, { ...how, batch_input })
      const results = fields(data).batch_results
      return Array.isArray(results) ? results.map((result) => signatureOf(result, p256)) : []
    } catch (error) {
      if (error instanceof VaultRefusal && error.says('key not found')) throw unknownKey()
      throw error
    }
  })

  return {
    /** Idempotent in Vault itself: a second creation of a name returns the existing key. */
    async create(ref: TransitRef): Promise<CreatedKey> {
      const body = { type: TYPE[ref.keyType], exportable: false, allow_plaintext_backup: false }
      const { data } = await client.write(`${mount}/keys/${storeName(ref)}`, body)
      return { publicKey: publicKeyOf(data), custody: 'hardened' }
    },

    async publicKey(ref: TransitRef): Promise<Uint8Array> {
      try {
        return publicKeyOf((await client.read(`${mount}/keys/${storeName(ref)}`)).data)
      } catch (error) {
        throw error instanceof VaultRefusal && error.status === 404 ? unknownKey() : error
      }
    },

    sign: (ref: TransitRef, data: Uint8Array) => batches.sign(storeName(ref), data),

    async delete(ref: TransitRef): Promise<void> {
      const path = `${mount}/keys/${storeName(ref)}`
      try {
        await client.write(`${path}/config`, { deletion_allowed: true })
        await client.remove(path)
      } catch (error) {
        if (!gone(error)) throw error
      }
    },

    drain: () => batches.drain(),
  }
}
