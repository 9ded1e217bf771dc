import type { Config } from '../config.ts'
import type { ScheduledJob } from './temporal.registration.ts'

/** What Temporal starts by the clock. Each names a workflow of workflows/index.ts; runs of one job never overlap. */
export const scheduledJobs = (_config: Pick<Config, 'statusWindowSeconds'>): ScheduledJob[] => []
