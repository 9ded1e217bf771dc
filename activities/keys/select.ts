import type { Config } from '../../config.ts'
import type { EnvelopeRows } from './envelope.ts'
import type { KeyStore } from './index.ts'
import { createLocalKeyStore } from './local.ts'
import { createVaultKeyStore } from './vault.ts'

export interface KeyStoreSettings {
  config: Pick<Config, 'vault' | 'masterKey'>
  envelopes: EnvelopeRows
}

/** Vault where an address is set, else envelopes in our own database. */
export const openKeyStore = ({ config, envelopes }: KeyStoreSettings): KeyStore =>
  config.vault ? createVaultKeyStore(config.vault) : createLocalKeyStore({ envelopes, masterKey: config.masterKey })
