import type { Config } from '../../config.ts'
import type { ScheduledJob } from './temporal/registration.ts'

/** What Temporal starts by the clock. Each names a workflow of workflows/index.ts; runs of one job never overlap. */
export const scheduledJobs = ({ statusWindowSeconds }: Pick<Config, 'statusWindowSeconds'>): ScheduledJob[] => [
  {
    id: 'publish-status-lists',
    workflowType: 'publishStatusLists',
    area: 'semantic-credentials',
    summary: 'sign the status lists that changed',
    every: { seconds: statusWindowSeconds },
  },
  {
    id: 'purge-expired',
    workflowType: 'purgeExpired',
    area: 'administration',
    summary: 'drop idempotency keys, rate limits and relayed outbox rows that are past their time',
    every: { seconds: 3600 },
  },
  {
    id: 'reconcile-work',
    workflowType: 'reconcileWork',
    area: 'administration',
    summary: 'start again what is under way by its rows and unknown to Temporal',
    every: { seconds: 300 },
    atStart: true,
  },
  {
    id: 'reap-keys',
    workflowType: 'reapKeys',
    area: 'dids',
    summary: 'destroy keys whose DID was never finished',
    every: { seconds: 300 },
  },
  {
    id: 'rotate-token-keys',
    workflowType: 'rotateTokenKeys',
    area: 'tokens-logs',
    summary: 'make a new token key when the newest is too old, destroy those of which no token is left',
    every: { seconds: 6 * 3600 },
  },
]
