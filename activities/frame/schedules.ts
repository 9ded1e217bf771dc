import type { Config } from '../../config.ts'
import { type ScheduledType, schedules } from '../../protocol/workflows.ts'
import type { ScheduledJob } from './temporal/registration.ts'

const job = (workflowType: ScheduledType, times: Pick<ScheduledJob, 'every' | 'atStart'>): ScheduledJob => ({
  ...schedules[workflowType],
  workflowType,
  ...times,
})

/** What Temporal starts by the clock; runs of one job never overlap. */
export const scheduledJobs = ({ statusWindowSeconds }: Pick<Config, 'statusWindowSeconds'>): ScheduledJob[] => [
  job('publishStatusLists', { every: { seconds: statusWindowSeconds } }),
  job('purgeExpired', { every: { seconds: 3600 } }),
  job('reconcileWork', { every: { seconds: 300 }, atStart: true }),
  job('reapKeys', { every: { seconds: 300 } }),
  job('rotateTokenKeys', { every: { seconds: 6 * 3600 } }),
]
