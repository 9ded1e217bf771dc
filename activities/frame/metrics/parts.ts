import type { Registry } from 'prom-client'
import type { PoolObserver } from '../../../entities/pool.ts'
import { type KeyStoreMetrics, keyStoreMetrics } from '../../keys/metrics.ts'
import { type PoolName, type ThreadObserver, threadMetrics } from '../threads/metrics.ts'
import { databaseMetrics } from './database.ts'

/** What a process measures of the parts that it depends on. */
export interface PartMetrics {
  pool(role: 'app' | 'system'): PoolObserver
  keys: KeyStoreMetrics
  threads(pool: PoolName): ThreadObserver
}

/** Once for each registry: a process that opens its dependencies again goes on with the same metrics. */
export const partMetrics = (metrics: Registry): PartMetrics => ({
  pool: databaseMetrics(metrics),
  keys: keyStoreMetrics(metrics),
  threads: threadMetrics(metrics),
})
