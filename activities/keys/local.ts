import { randomBytes } from 'node:crypto'
import type { Threads } from '../frame/threads/index.ts'
import { createBbsThreads } from './bbs.ts'
import { type EnvelopeRows, openKey, sealKey } from './envelope.ts'
import type { KeyStore } from './index.ts'
import type { Random } from './material.ts'
import { createSoftwareKeys, type SecretRows, SOFTWARE_AGREES } from './software.ts'

export interface LocalKeyStoreOptions {
  envelopes: EnvelopeRows
  /** 32 bytes. Whoever has it and the database has every local key. */
  masterKey: Uint8Array
  random?: Random
  cacheSeconds?: number
  bbsThreads?: number
  /** Turns and budgets that the BBS threads share with the other threads of the process. */
  threads?: Threads
}

/** Keys in AES-256-GCM envelopes in our own database, used in our own memory: custody is always `software`. */
export function createLocalKeyStore({
  envelopes,
  masterKey,
  random = randomBytes,
  cacheSeconds,
  bbsThreads,
  threads,
}: LocalKeyStoreOptions): KeyStore {
  if (masterKey.length !== 32) throw new Error('The master key of the local key store is 32 bytes long.')
  const bbs = createBbsThreads({ shared: threads, threads: bbsThreads })
  const secrets: SecretRows = {
    insert: (ref, material) => envelopes.insert(ref, sealKey(masterKey, ref, material, random)),
    async find(ref) {
      const row = await envelopes.find(ref)
      return row && openKey(masterKey, ref, row)
    },
    remove: (ref) => envelopes.remove(ref),
  }
  return {
    name: 'local',
    agrees: SOFTWARE_AGREES,
    ...createSoftwareKeys({ secrets, bbs, random, cacheSeconds }),
    /** Always ready: the database has its own readiness check, and the master key was checked above. */
    ready: async () => undefined,
    close: () => bbs.close(),
  }
}
