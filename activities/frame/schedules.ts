import { type ScheduledType, schedules } from '../../protocol/workflows.ts'
import type { ScheduledJob } from './temporal/registration.ts'

const job = (workflowType: ScheduledType, times: Pick<ScheduledJob, 'every' | 'atStart'>): ScheduledJob => ({
  ...schedules[workflowType],
  workflowType,
  ...times,
})

/** What Temporal starts by the clock; runs of one job never overlap. */
export const scheduledJobs = (): ScheduledJob[] => [
  // the workflow goes on by itself: this starts it again should an operator or a fault end it
  job('publishStatusLists', { every: { seconds: 60 }, atStart: true }),
  job('purgeExpired', { every: { seconds: 3600 } }),
  job('reconcileWork', { every: { seconds: 300 }, atStart: true }),
  job('reapKeys', { every: { seconds: 300 } }),
  job('rotateTokenKeys', { every: { seconds: 6 * 3600 } }),
  job('signLogHeads', { every: { seconds: 60 } }),
  job('removeOldLogEntries', { every: { seconds: 3600 }, atStart: true }),
  job('rotateWebhookKeys', { every: { seconds: 6 * 3600 } }),
  job('rotateVerifierKeys', { every: { seconds: 6 * 3600 } }),
  job('sweepCertificates', { every: { seconds: 3600 }, atStart: true }),
]
