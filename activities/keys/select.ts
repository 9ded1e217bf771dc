import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { EnvelopeRows } from './envelope.ts'
import type { KeyStore } from './index.ts'
import { createLocalKeyStore } from './local.ts'
import { createLoginGate, type LoginRecords } from './vault.gate.ts'
import { createVaultKeyStore } from './vault.ts'

export interface KeyStoreSettings {
  config: Pick<Config, 'vault' | 'masterKey'>
  envelopes: EnvelopeRows
  logins: LoginRecords
  log?: Pick<Logger, 'info' | 'error'>
}

/** Vault where an address is set, else envelopes in our own database. */
export function openKeyStore({ config: { vault, masterKey }, envelopes, logins, log }: KeyStoreSettings): KeyStore {
  if (!vault) return createLocalKeyStore({ envelopes, masterKey })
  return createVaultKeyStore(vault, { gate: createLoginGate({ ...vault, masterKey, records: logins }), log })
}
