import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Threads } from '../frame/threads/index.ts'
import type { EnvelopeRows } from './envelope.ts'
import type { KeyStore } from './index.ts'
import { createLocalKeyStore } from './local.ts'
import type { KeyStoreMetrics } from './metrics.ts'
import { createLoginGate, type LoginRecords } from './vault/gate.ts'
import { createVaultKeyStore } from './vault/index.ts'

export interface KeyStoreSettings {
  config: Pick<Config, 'vault' | 'masterKey'>
  envelopes: EnvelopeRows
  logins: LoginRecords
  metrics: KeyStoreMetrics
  threads?: Threads
  log?: Pick<Logger, 'info' | 'error'>
}

/** Vault where an address is set, else envelopes in our own database. */
export function openKeyStore({ config, envelopes, logins, metrics, threads, log }: KeyStoreSettings): KeyStore {
  const { vault, masterKey } = config
  if (!vault) return metrics.measured(createLocalKeyStore({ envelopes, masterKey, threads }))
  const gate = createLoginGate({ ...vault, masterKey, records: logins })
  return metrics.measured(createVaultKeyStore(vault, { gate, log, observer: metrics, threads }))
}
