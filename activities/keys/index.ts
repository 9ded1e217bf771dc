import type { Witness } from '../frame/epoch.witness.ts'

export const KEY_TYPES = ['ed25519', 'p256', 'p384', 'bls12381g2', 'x25519'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/**
 * Names one key of one tenant. `keyId` is a UUID that the caller makes, so that a retried create finds the same key.
 */
export interface KeyRef {
  tenantId: string
  keyId: string
  keyType: KeyType
}

/** Where the private key lives: `hardened` never leaves the store, `software` is unwrapped in our memory to be used. */
export type Custody = 'hardened' | 'software'

export interface CreatedKey {
  /** Raw public key: 32 bytes Ed25519 and X25519, 33 bytes compressed P-256, 49 compressed P-384, 96 bytes compressed BLS12-381 G2. */
  publicKey: Uint8Array
  custody: Custody
}

export interface BbsInput {
  header: Uint8Array
  messages: Uint8Array[]
}

/**
 * The store of private keys. Two implementations (local.ts, vault.ts) keep one contract, tested against both.
 * No method returns a private key. An unknown or deleted key is `Refusal('key.not_found')`; a key of the wrong
 * type `Refusal('key.unsupported')`; a store that is sealed or unavailable `Unavailable('keys')`.
 */
export interface KeyStore {
  readonly name: 'local' | 'vault'
  /** Types of keys that can agree on a secret here. */
  readonly agrees: readonly KeyType[]
  /** Only of a store outside of our database. */
  readonly witness?: Witness
  /** Only of a store outside of our database: returns the names (reference.ts) of all our keys. */
  names?(): Promise<string[]>
  /** Idempotent by keyId: a second call returns the existing key. */
  create(ref: KeyRef): Promise<CreatedKey>
  publicKey(ref: KeyRef): Promise<Uint8Array>
  /**
   * Ed25519 (RFC 8032) over `data`, or ECDSA as r‖s (IEEE P1363) with the lower s: P-256 over SHA-256 of it, P-384 over
   * SHA-384. 64 bytes, or 96 of P-384.
   */
  sign(ref: KeyRef, data: Uint8Array): Promise<Uint8Array>
  /**
   * X25519 (RFC 7748) with the key itself, or with the Montgomery form of an Ed25519 key; ECDH with a P-256 key, of a
   * compressed point. 32 bytes, for the caller to wipe; an all-zero secret is refused. A key that never leaves the
   * store, where the store itself cannot agree with it, is `Refusal('key.agreement_unsupported')`.
   */
  agree(ref: KeyRef, peerPublicKey: Uint8Array): Promise<Uint8Array>
  /** BBS signature, ciphersuite BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_ (draft-irtf-cfrg-bbs-signatures). 80 bytes. */
  bbsSign(ref: KeyRef, input: BbsInput): Promise<Uint8Array>
  /** Destroys every version of the key. A second delete is not an error, because workflows retry it. */
  delete(ref: KeyRef): Promise<void>
  /** Throws `Unavailable('keys')` unless the store can sign now. */
  ready(): Promise<void>
  /** Stops timers and connections. */
  close(): Promise<void>
}
