import type { Registry } from 'prom-client'
import type { PoolObserver } from '../../../entities/pool.ts'
import { type KeyStoreMetrics, keyStoreMetrics } from '../../keys/metrics.ts'
import { type PoolName, type ThreadObserver, threadMetrics } from '../threads/metrics.ts'
import { databaseMetrics } from './database.ts'

/** Metrics of the parts that a process depends on. */
export interface PartMetrics {
  pool(role: 'app' | 'system'): PoolObserver
  keys: KeyStoreMetrics
  threads(pool: PoolName): ThreadObserver
}

/** Call it once per registry: a process that opens its dependencies again continues with the same metrics. */
export const partMetrics = (metrics: Registry): PartMetrics => ({
  pool: databaseMetrics(metrics),
  keys: keyStoreMetrics(metrics),
  threads: threadMetrics(metrics),
})
