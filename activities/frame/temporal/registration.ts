import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import proto from '@temporalio/proto'
import type { Logger } from 'pino'
import { Unavailable } from '../../../protocol/errors.ts'
import type { Temporal } from './index.ts'
import { searchAttributes, startOptions } from './starts.ts'

const REGISTRATION_DEADLINE_MS = 10_000
const { IndexedValueType } = proto.temporal.api.enums.v1
const INDEXED = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
}

/** Registers the search attributes in the namespace, and returns when Temporal lists them. Safe to repeat. */
export async function registerSearchAttributes({ connection, namespace, within }: Temporal): Promise<void> {
  const missing = async () => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
    return Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes))
  }
  await within(async () => {
    const absent = await missing()
    if (absent.length === 0) return
    const attributeTypes = Object.fromEntries(absent.map(({ name, type }) => [name, INDEXED[type]]))
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: attributeTypes })
    while ((await missing()).length > 0) await new Promise((resolve) => setTimeout(resolve, 100))
  }, REGISTRATION_DEADLINE_MS)
}

export interface ScheduledJob {
  /** Also the prefix of the workflow ids that Temporal makes of it. */
  id: string
  workflowType: string
  area: string
  summary: string
  every: { seconds: number } | { cron: string }
  /** Runs also when a worker starts, and when Temporal had lost its schedules. */
  atStart?: boolean
}

const HOUR_SECONDS = 3600

/**
 * Lets at most one missed run follow an outage: more would add nothing. Temporal takes no window under 10 s; its
 * default is a year.
 */
const catchupSeconds = (every: ScheduledJob['every']): number =>
  'cron' in every ? HOUR_SECONDS : Math.min(HOUR_SECONDS, Math.max(10, every.seconds))

const scheduleOptions = (job: ScheduledJob, taskQueue: string) =>
  ({
    scheduleId: job.id,
    spec:
      'cron' in job.every ? { cronExpressions: [job.every.cron] } : { intervals: [{ every: `${job.every.seconds}s` }] },
    action: {
      type: 'startWorkflow',
      workflowType: job.workflowType,
      workflowId: job.id,
      taskQueue,
      args: [],
      ...startOptions({ tenantId: 'platform', area: job.area, objectId: job.id, summary: job.summary }),
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: `${catchupSeconds(job.every)}s` },
  }) satisfies ScheduleOptions

/** Creates or updates the schedules; a pause set by an operator stays. Safe to repeat. */
export async function registerSchedules({ client, taskQueue, within }: Temporal, jobs: ScheduledJob[]): Promise<void> {
  for (const job of jobs) {
    const options = scheduleOptions(job, taskQueue)
    await within(async () => {
      try {
        await client.schedule.create(options)
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error
        await client.schedule.getHandle(job.id).update((previous) => ({ ...options, state: previous.state }))
      }
    }, REGISTRATION_DEADLINE_MS)
  }
}

/** Runs the jobs with `atStart`; one that runs already is skipped. */
export async function runStartJobs({ client, within }: Temporal, jobs: ScheduledJob[]): Promise<void> {
  for (const { id } of jobs.filter(({ atStart }) => atStart))
    await within(() => client.schedule.getHandle(id).trigger(ScheduleOverlapPolicy.SKIP))
}

/** Registers what Temporal needs before workflows start. */
export async function register(temporal: Temporal, jobs: ScheduledJob[]): Promise<void> {
  await registerSearchAttributes(temporal)
  await registerSchedules(temporal, jobs)
}

const LOOK_MS = 10_000

/**
 * Registers again what Temporal lost with its database while the worker ran: without search attributes no workflow can
 * start, without schedules no scheduled one does.
 */
export function keepRegistered(temporal: Temporal, jobs: ScheduledJob[], log: Pick<Logger, 'warn'>): { stop(): void } {
  const watched = jobs.find(({ atStart }) => atStart)
  if (!watched) return { stop: () => undefined }
  const isThere = async () => {
    try {
      await temporal.within(() => temporal.client.schedule.getHandle(watched.id).describe())
      return true
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false
      throw error
    }
  }
  const look = async () => {
    if (await isThere()) return
    log.warn('Temporal has lost its schedules: they are registered again')
    await register(temporal, jobs)
    await runStartJobs(temporal, jobs)
  }
  let looking = false
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      // unavailable: other calls report that, and the next look comes soon
      .catch((error: unknown) => {
        if (!(error instanceof Unavailable)) log.warn({ err: error }, 'schedules could not be checked')
      })
      .finally(() => {
        looking = false
      })
  }, LOOK_MS)
  return { stop: () => clearInterval(timer) }
}
