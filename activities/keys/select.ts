import type { Config } from '../../config.ts'
import type { Threads } from '../threads.ts'
import type { EnvelopeRows } from './envelope.ts'
import type { KeyStore } from './index.ts'
import { createLocalKeyStore } from './local.ts'
import { createVaultKeyStore } from './vault.ts'

export interface KeyStoreSettings {
  config: Pick<Config, 'vault' | 'masterKey'>
  envelopes: EnvelopeRows
  threads?: Threads
}

/** Vault where an address is set, else envelopes in our own database. */
export const openKeyStore = ({ config, envelopes, threads }: KeyStoreSettings): KeyStore =>
  config.vault
    ? createVaultKeyStore(config.vault, { threads })
    : createLocalKeyStore({ envelopes, masterKey: config.masterKey, threads })
