import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import type { KeyStore } from './index.ts'
import type { VaultObserver } from './vault/client.ts'

export interface KeyStoreMetrics extends VaultObserver {
  /** Returns the store with measured calls. */
  measured(store: KeyStore): KeyStore
}

const outcomeOf = (error: unknown): string =>
  error instanceof Refusal ? 'refused' : error instanceof Unavailable ? 'unavailable' : 'failed'

/** Metrics of the key store's calls, and of logins to Vault. docs/operations.md says what to do about each. */
export function keyStoreMetrics(metrics: Registry, now: () => number = Date.now): KeyStoreMetrics {
  const registers = [metrics]
  const seconds = new Histogram({
    name: 'countersign_key_store_seconds',
    help: 'Seconds of a call of the key store, by operation and outcome',
    labelNames: ['operation', 'outcome'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers,
  })
  const logins = new Counter({
    name: 'countersign_key_store_logins_total',
    help: 'Logins to Vault by outcome',
    labelNames: ['outcome'],
    registers,
  })
  let nextLoginAt = 0
  new Gauge({
    name: 'countersign_key_store_login_wait_seconds',
    help: 'Seconds until the next login after one that Vault refused; 0: none was refused',
    registers,
    aggregator: 'max',
    collect() {
      this.set(Math.max(0, nextLoginAt - now()) / 1000)
    },
  })
  const breaker = new Gauge({
    name: 'countersign_key_store_breaker_open',
    help: 'Processes that refuse calls at once because Vault did not answer the last ones',
    registers,
  })

  const timed =
    <Input extends unknown[], Result>(operation: string, work: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      const from = performance.now()
      const end = (outcome: string) => seconds.observe({ operation, outcome }, (performance.now() - from) / 1000)
      try {
        const result = await work(...input)
        end('done')
        return result
      } catch (error) {
        end(outcomeOf(error))
        throw error
      }
    }

  return {
    measured: (store) => ({
      ...store,
      create: timed('create', store.create),
      publicKey: timed('publicKey', store.publicKey),
      sign: timed('sign', store.sign),
      agree: timed('agree', store.agree),
      bbsSign: timed('bbsSign', store.bbsSign),
      delete: timed('delete', store.delete),
      ready: timed('ready', store.ready),
    }),
    loggedIn: (outcome) => logins.inc({ outcome }),
    refusedUntil(nextAt) {
      nextLoginAt = nextAt
    },
    broken: (open) => breaker.set(open ? 1 : 0),
  }
}
