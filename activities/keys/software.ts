import { type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import type { BbsThreads } from './bbs.ts'
import type { KeyRef, KeyStore, KeyType } from './index.ts'
import { isEcdsa } from './low-s.ts'
import { agreeWith, generateCurveKey, importSecret, type KeyMaterial, type Random, signWith } from './material.ts'
import { assertReference, unknownKey, unsupported } from './reference.ts'

/** Protected storage of secrets: envelopes in PostgreSQL, or Vault's KV engine. */
export interface SecretRows {
  /** Keeps the first secret of a key; a later one for the same key is dropped without an error. */
  insert(ref: KeyRef, material: KeyMaterial): Promise<void>
  find(ref: KeyRef): Promise<KeyMaterial | undefined>
  /** Destroys every version; not an error when there is none. */
  remove(ref: KeyRef): Promise<void>
}

export interface SoftwareOptions {
  secrets: SecretRows
  bbs: BbsThreads
  random?: Random
  /** Seconds that an unwrapped key stays in memory: how long another process may go on signing after a delete. */
  cacheSeconds?: number
  cacheSize?: number
}

/** Types of keys that agree once they are unwrapped. */
export const SOFTWARE_AGREES: readonly KeyType[] = ['x25519', 'ed25519', 'p256']

interface OpenKey {
  publicKey: Uint8Array
  key: KeyObject
}

export type SoftwareKeys = Pick<KeyStore, 'create' | 'publicKey' | 'sign' | 'agree' | 'bbsSign' | 'delete'>

/** Keys that are unwrapped in our memory to be used (custody `software`). */
export function createSoftwareKeys({
  secrets,
  bbs,
  random = randomBytes,
  cacheSeconds = 5,
  cacheSize = 500,
}: SoftwareOptions): SoftwareKeys {
  const open = new LRUCache<string, Promise<OpenKey>>({ max: cacheSize, ttl: cacheSeconds * 1000 })
  const cacheKey = ({ tenantId, keyId, keyType }: KeyRef) => `${tenantId}/${keyId}/${keyType}`

  const load = async (ref: KeyRef): Promise<OpenKey> => {
    const material = await secrets.find(ref)
    if (!material) throw unknownKey()
    const key = importSecret(ref.keyType, material.secret)
    material.secret.fill(0)
    return { publicKey: material.publicKey, key }
  }

  /** Caches the promise, so that concurrent signatures load a key once. */
  const openKey = (ref: KeyRef): Promise<OpenKey> => {
    assertReference(ref)
    const name = cacheKey(ref)
    const cached = open.get(name)
    if (cached) return cached
    const loading = load(ref)
    open.set(name, loading)
    loading.catch(() => open.peek(name) === loading && open.delete(name))
    return loading
  }

  const generate = (ref: KeyRef) =>
    ref.keyType === 'bls12381g2' ? bbs.generate(ref.tenantId, random(32)) : generateCurveKey(ref.keyType, random)

  return {
    async create(ref) {
      assertReference(ref)
      await secrets.insert(ref, await generate(ref))
      const material = await secrets.find(ref)
      if (!material) throw new Refusal('key.unsupported', 'A key of another type has this key id.')
      material.secret.fill(0)
      return { publicKey: material.publicKey, custody: 'software' }
    },

    publicKey: async (ref) => (await openKey(ref)).publicKey,

    async sign(ref, data) {
      if (ref.keyType !== 'ed25519' && !isEcdsa(ref.keyType)) throw unsupported(ref, 'sign')
      return signWith((await openKey(ref)).key, data)
    },

    async agree(ref, peerPublicKey) {
      if (!SOFTWARE_AGREES.includes(ref.keyType)) throw unsupported(ref, 'agree on a secret')
      return agreeWith((await openKey(ref)).key, peerPublicKey)
    },

    async bbsSign(ref, input) {
      if (ref.keyType !== 'bls12381g2') throw unsupported(ref, 'make a BBS signature')
      const { key, publicKey } = await openKey(ref)
      return bbs.sign(ref.tenantId, { secret: key.export(), publicKey }, input)
    },

    async delete(ref) {
      assertReference(ref)
      await secrets.remove(ref)
      open.delete(cacheKey(ref))
    },
  }
}
