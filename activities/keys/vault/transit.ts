import { createHash, createPublicKey } from 'node:crypto'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { CreatedKey, KeyRef } from '../index.ts'
import { type EcdsaKeyType, isEcdsa, withLowS } from '../low-s.ts'
import { ECDSA_HASH, rawPublicKey } from '../material.ts'
import { storeName, unknownKey } from '../reference.ts'
import { because, fields, text, VaultRefusal } from './answers.ts'
import { createSignBatches } from './batches.ts'
import type { VaultEngine } from './client.ts'

export type TransitKeyType = 'ed25519' | EcdsaKeyType
export type TransitRef = KeyRef & { keyType: TransitKeyType }

export const inTransit = (ref: KeyRef): ref is TransitRef => ref.keyType === 'ed25519' || isEcdsa(ref.keyType)

const TYPE = { ed25519: 'ed25519', p256: 'ecdsa-p256', p384: 'ecdsa-p384' } as const

/** How Vault names the hashes of ECDSA. */
const HASH = { p256: 'sha2-256', p384: 'sha2-384' } as const
const SIGNATURE_BYTES = { ed25519: 64, p256: 64, p384: 96 } as const

/** The type stands first in the name of a key (reference.ts). */
const typeIn = (name: string): TransitKeyType => {
  const type = name.slice(0, name.indexOf('-'))
  return isEcdsa(type) ? type : 'ed25519'
}

/** The only version that is published: an operator who rotates a key in Vault must not change who signs. */
const VERSION = 1
const PREFIX = `vault:v${VERSION}:`

/** Vault returns an Ed25519 public key as base64, the others as PEM. */
const publicKeyOf = (data: unknown): Uint8Array => {
  const version = fields(fields(data).keys)[String(VERSION)]
  if (version === undefined)
    throw new Refusal('key.store_refused', 'Vault does not have the published version of the key any more.')
  const published = text(fields(version).public_key)
  return published.startsWith('-----') ? rawPublicKey(createPublicKey(published)) : Buffer.from(published, 'base64')
}

/** `vault:v1:<signature>`, base64 for Ed25519 and base64url for marshalled JWS; Buffer reads both alphabets. */
const signatureOf = (result: unknown, keyType: TransitKeyType): Uint8Array | Error => {
  const { signature, error } = fields(result)
  if (typeof signature !== 'string')
    return new Unavailable('keys', 'Vault did not sign.', undefined, because(String(error)))
  if (!signature.startsWith(PREFIX))
    return new Refusal('key.store_refused', 'Vault signed with another version of the key than the published one.')
  const raw = Buffer.from(signature.slice(PREFIX.length), 'base64')
  if (raw.length !== SIGNATURE_BYTES[keyType])
    return new Unavailable('keys', 'Vault sent a signature of unexpected length.')
  return isEcdsa(keyType) ? withLowS(raw, keyType) : raw
}

const gone = (error: unknown) =>
  error instanceof VaultRefusal &&
  (error.says('no existing key named') || error.says('could not delete key; not found'))

/** Ed25519, P-256 and P-384 in the transit engine, not exportable: the private key never leaves Vault (custody `hardened`). */
export function createTransitKeys(engine: VaultEngine) {
  const batches = createSignBatches(async (name, inputs) => {
    // Vault hashes for Ed25519 itself; for ECDSA we send digests, and ask for r‖s instead of ASN.1
    const keyType = typeIn(name)
    const how = isEcdsa(keyType) ? { prehashed: true, hash_algorithm: HASH[keyType], marshaling_algorithm: 'jws' } : {}
    const sent = (input: Uint8Array) =>
      isEcdsa(keyType) ? createHash(ECDSA_HASH[keyType]).update(input).digest() : Buffer.from(input)
    const batch_input = inputs.map((input) => ({ input: sent(input).toString('base64') }))
    try {
      const { data } = await engine.write(`sign/${name}`, { ...how, key_version: VERSION, batch_input })
      const results = fields(data).batch_results
      return Array.isArray(results) ? results.map((result) => signatureOf(result, keyType)) : []
    } catch (error) {
      if (error instanceof VaultRefusal && error.says('key not found')) throw unknownKey()
      throw error
    }
  })

  return {
    /** Idempotent in Vault itself: a second creation of a name returns the existing key. */
    async create(ref: TransitRef): Promise<CreatedKey> {
      const body = { type: TYPE[ref.keyType], exportable: false, allow_plaintext_backup: false }
      const { data } = await engine.write(`keys/${storeName(ref)}`, body)
      return { publicKey: publicKeyOf(data), custody: 'hardened' }
    },

    async publicKey(ref: TransitRef): Promise<Uint8Array> {
      try {
        return publicKeyOf((await engine.read(`keys/${storeName(ref)}`)).data)
      } catch (error) {
        throw error instanceof VaultRefusal && error.status === 404 ? unknownKey() : error
      }
    },

    sign: (ref: TransitRef, data: Uint8Array) => batches.sign(storeName(ref), data),

    async delete(ref: TransitRef): Promise<void> {
      const path = `keys/${storeName(ref)}`
      try {
        await engine.write(`${path}/config`, { deletion_allowed: true })
        await engine.remove(path)
      } catch (error) {
        if (!gone(error)) throw error
      }
    },

    drain: () => batches.drain(),
  }
}
