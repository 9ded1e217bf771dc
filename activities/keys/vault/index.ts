import { randomBytes } from 'node:crypto'
import type { VaultConfig } from '../../../config.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Witness } from '../../frame/epoch.witness.ts'
import type { Threads } from '../../frame/threads/index.ts'
import { createBbsThreads } from '../bbs.ts'
import type { KeyRef, KeyStore } from '../index.ts'
import type { Random } from '../material.ts'
import { assertReference, isStoreName, storeName, unsupported } from '../reference.ts'
import { createSoftwareKeys, type SecretRows } from '../software.ts'
import { fields, number, settled, text, VaultRefusal } from './answers.ts'
import { createVaultClient, type VaultClientParts, type VaultEngine } from './client.ts'
import { createLoginGate, ownRecords } from './gate.ts'
import { createTransitKeys, inTransit } from './transit.ts'

/** Whether another write of the secret came first. */
const isConflict = (error: unknown) => error instanceof VaultRefusal && error.says('check-and-set')

/** Stores BLS12-381 and X25519 keys, which transit does not support, in the KV engine, version 2. */
const kvSecrets = (engine: VaultEngine): SecretRows => {
  const path = (kind: 'data' | 'metadata', ref: KeyRef) => `${kind}/countersign/${storeName(ref)}`
  return {
    async insert(ref, { secret, publicKey }) {
      const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
      const data = { keyType: ref.keyType, secret: base64(secret), publicKey: base64(publicKey) }
      try {
        await engine.write(path('data', ref), { options: { cas: 0 }, data }) // cas 0: only if there is none yet
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    },
    async find(ref) {
      try {
        const { data } = fields((await engine.read(path('data', ref))).data)
        const { secret, publicKey } = fields(data)
        return { secret: Buffer.from(text(secret), 'base64'), publicKey: Buffer.from(text(publicKey), 'base64') }
      } catch (error) {
        if (error instanceof VaultRefusal && error.status === 404) return undefined
        throw error
      }
    },
    /** Deleting the metadata destroys every version. */
    remove: (ref) => engine.remove(path('metadata', ref)),
  }
}

/** How often a mark is written while other processes write theirs. */
const MARK_ATTEMPTS = 5

/** Stores the database's mark beside the keys, because a restore of the database does not restore Vault. */
const kvWitness = (engine: VaultEngine): Witness => {
  const path = (id: string) => `data/countersign/epoch-${id}`

  async function stored(id: string): Promise<{ mark?: number; version: number }> {
    try {
      const { data, metadata } = fields((await engine.read(path(id))).data)
      return { mark: Number(text(fields(data).mark)), version: number(fields(metadata).version) }
    } catch (error) {
      if (error instanceof VaultRefusal && error.status === 404) return { version: error.version }
      throw error
    }
  }

  /** Undefined: another process has written meanwhile. */
  async function replace(id: string, mark: number): Promise<number | undefined> {
    const { mark: standing, version } = await stored(id)
    if (standing !== undefined && standing >= mark) return standing
    try {
      await engine.write(path(id), { options: { cas: version }, data: { mark: String(mark) } })
      return mark
    } catch (error) {
      if (!isConflict(error)) throw error
      return undefined
    }
  }

  return {
    read: async (id) => (await stored(id)).mark,
    async write(id, mark) {
      for (let attempt = 0; attempt < MARK_ATTEMPTS; attempt += 1) {
        const written = await replace(id, mark)
        if (written !== undefined) return written
      }
      throw new Unavailable('keys', 'Other processes write the mark of the database to Vault all the time.')
    },
  }
}

export interface VaultKeyStoreOptions extends Partial<VaultClientParts> {
  random?: Random
  cacheSeconds?: number
  bbsThreads?: number
  /** Turns and budgets that the BBS threads share with the other threads of the process. */
  threads?: Threads
}

/** Login gate of a process that shares its logins with no other. */
const gateOfOne = ({ address, timeoutMs }: VaultConfig) =>
  createLoginGate({ address, timeoutMs, records: ownRecords(Date.now), masterKey: randomBytes(32) })

/** Keys in Vault or OpenBao: transit for Ed25519, P-256 and P-384, KV version 2 for BLS12-381 and X25519. */
export function createVaultKeyStore(config: VaultConfig, options: VaultKeyStoreOptions = {}): KeyStore {
  const { random = randomBytes, cacheSeconds, bbsThreads, threads, gate = gateOfOne(config) } = options
  const client = createVaultClient(config, { ...options, gate })
  const bbs = createBbsThreads({ shared: threads, threads: bbsThreads })
  const [transitEngine, kvEngine] = [client.engine(config.transitMount), client.engine(config.kvMount)]
  const transit = createTransitKeys(transitEngine)
  const software = createSoftwareKeys({ secrets: kvSecrets(kvEngine), bbs, random, cacheSeconds })

  return {
    name: 'vault',
    agrees: ['x25519'],
    witness: kvWitness(kvEngine),
    async create(ref) {
      assertReference(ref)
      return settled(inTransit(ref) ? transit.create(ref) : software.create(ref))
    },
    async publicKey(ref) {
      assertReference(ref)
      return settled(inTransit(ref) ? transit.publicKey(ref) : software.publicKey(ref))
    },
    async sign(ref, data) {
      assertReference(ref)
      if (!inTransit(ref)) throw unsupported(ref, 'sign')
      return settled(transit.sign(ref, data))
    },
    async agree(ref, peerPublicKey) {
      if (inTransit(ref)) {
        throw new Refusal(
          'key.agreement_unsupported',
          'Vault cannot agree on a secret with an Ed25519, P-256 or P-384 key: use an X25519 key.',
        )
      }
      return settled(software.agree(ref, peerPublicKey))
    },
    bbsSign: (ref, input) => settled(software.bbsSign(ref, input)),
    async delete(ref) {
      assertReference(ref)
      return settled(inTransit(ref) ? transit.delete(ref) : software.delete(ref))
    },
    async names() {
      const lists = await Promise.all([transitEngine.list('keys'), kvEngine.list('metadata/countersign')])
      return lists.flat().filter(isStoreName)
    },
    ready: () => client.ready(),
    async close() {
      await transit.drain()
      await bbs.close()
      await client.close()
    },
  }
}
