import type { ScheduledType, WorkflowArea } from '../../protocol/workflows.ts'
import type { ScheduledJob } from './temporal/registration.ts'

export interface ScheduledWorkflow {
  area: WorkflowArea
  /** Id of the schedule, and prefix of its workflow ids. */
  id: string
  summary: string
}

export const schedules: { readonly [Type in ScheduledType]: ScheduledWorkflow } = {
  publishStatusLists: {
    area: 'semantic-credentials',
    id: 'publish-status-lists',
    summary: 'sign the status lists that changed',
  },
  purgeExpired: {
    area: 'administration',
    id: 'purge-expired',
    summary: 'delete expired idempotency keys, rate limits and relayed outbox rows',
  },
  reconcileWork: {
    area: 'administration',
    id: 'reconcile-work',
    summary: 'start unfinished work again that has no workflow in Temporal',
  },
  reapKeys: { area: 'dids', id: 'reap-keys', summary: 'destroy keys whose DID was never completed' },
  rotateTokenKeys: {
    area: 'tokens-logs',
    id: 'rotate-token-keys',
    summary: 'make a new token key when the newest is too old, and destroy keys without valid tokens',
  },
  signLogHeads: { area: 'tokens-logs', id: 'sign-log-heads', summary: 'sign where the chains of the log end' },
  removeOldLogEntries: { area: 'tokens-logs', id: 'remove-old-log-entries', summary: 'remove old entries of the log' },
  rotateWebhookKeys: {
    area: 'webhooks',
    id: 'rotate-webhook-keys',
    summary: 'make a new webhook key when the newest is too old, and destroy those that were replaced long ago',
  },
  rotateVerifierKeys: {
    area: 'openid',
    id: 'rotate-verifier-keys',
    summary: 'make new keys for ID tokens where the newest are too old, and destroy those that were replaced long ago',
  },
  sweepCertificates: {
    area: 'mobile-credentials',
    id: 'sweep-certificates',
    summary: 'sign lists of revoked certificates that are due, give notice of certificates that expire',
  },
  refreshTrustLists: {
    area: 'trust-lists',
    id: 'refresh-trust-lists',
    summary: 'read trust lists of URLs again, and say which ones are stale',
  },
  eraseExpired: {
    area: 'administration',
    id: 'erase-expired',
    summary: 'erase personal data that tenants keep no longer',
  },
}

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
  job('refreshTrustLists', { every: { seconds: 300 }, atStart: true }),
  job('eraseExpired', { every: { seconds: 3600 }, atStart: true }),
]
