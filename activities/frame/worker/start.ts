import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@temporalio/client'
import { type NativeConnection, Worker } from '@temporalio/worker'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../../../config.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { createSequencer } from '../log-sequencer.ts'
import { createRelay, type RelayDependencies } from '../outbox.relay.ts'
import { createDataConverter } from '../temporal/codec.ts'
import { CALL_DEADLINE_MS, type Temporal } from '../temporal/index.ts'
import { keepRegistered, register, runStartJobs, type ScheduledJob } from '../temporal/registration.ts'
import { createStarter, temporalFailure } from '../temporal/starts.ts'
import { prepareWorkflowBundle } from './bundle.ts'
import { connectWorker } from './connection.ts'
import { createActivityInterceptors } from './interceptors.ts'
import { installRuntime } from './logging.ts'

/** After this time the process ends with a non-zero code, so that its supervisor notices. */
export const PATIENCE_MS = 5 * 60_000

export interface WorkerParts {
  config: Pick<Config, 'temporal' | 'masterKey' | 'shutdownSeconds'>
  activities: object
  jobs: ScheduledJob[]
  temporal: Temporal
  systemSql: RelayDependencies['sql']
  outbox: RelayDependencies['outbox']
  log: Logger
  metrics?: Registry
  /** Replaces the platform's own workflows, for tests of the frame. */
  bundle?: { code: string } | { codePath: string }
  patienceMs?: number
  signal?: AbortSignal
}

export interface RunningWorker {
  /** Resolves when the worker has ended; rejects when a fault ended it. */
  finished: Promise<void>
  /** True while it polls for work. */
  running(): boolean
  /** Takes no more work, finishes its tasks within `shutdownSeconds`, then closes. */
  stop(): Promise<void>
}

/** Starts workflows over the worker's connection, so that the worker gets their first tasks with the answer. */
function startsHere(
  connection: NativeConnection,
  { temporal: { namespace, taskQueue }, masterKey }: WorkerParts['config'],
) {
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(masterKey) })
  /** The connection itself repeats a call that found nobody, for longer than the deadline. */
  const within = async <T>(call: () => Promise<T>): Promise<T> => {
    const answered = new AbortController()
    const late = wait(CALL_DEADLINE_MS, undefined, { signal: answered.signal }).then(() => {
      throw new Unavailable('temporal', 'Temporal does not answer (deadline exceeded)', 5)
    })
    try {
      return await Promise.race([connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call), late])
    } catch (error) {
      throw temporalFailure(error)
    } finally {
      answered.abort()
    }
  }
  return { startWorkflow: createStarter({ client, within, taskQueue, eager: true }) }
}

/**
 * Connects, registers search attributes and schedules, and works on the task queue, the outbox and the chains of the
 * log until it is stopped.
 */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { config, temporal, log, metrics = new Registry() } = parts
  const bundle = parts.bundle ?? (await prepareWorkflowBundle())
  const prepare = async () => {
    await temporal.check()
    await register(temporal, parts.jobs)
    await runStartJobs(temporal, parts.jobs)
    installRuntime(log) // not before Temporal answers: it keeps the process alive
  }
  const patience = { patienceMs: parts.patienceMs ?? PATIENCE_MS, signal: parts.signal, log }
  const connection = await connectWorker(config.temporal, prepare, patience)
  const worker = await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: config.temporal.taskQueue,
    workflowBundle: bundle,
    activities: parts.activities,
    dataConverter: createDataConverter(config.masterKey),
    interceptors: { activity: [createActivityInterceptors(metrics)] },
    shutdownGraceTime: `${config.shutdownSeconds}s`,
    // an activity that ignores its cancellation must not keep the process
    shutdownForceTime: `${config.shutdownSeconds + 5}s`,
  })
  const relay = createRelay({
    sql: parts.systemSql,
    temporal: startsHere(connection, config),
    outbox: parts.outbox,
    log,
  })
  relay.start()
  const sequencer = createSequencer({ sql: parts.systemSql, log })
  sequencer.start()
  const run = worker.run()
  const registration = keepRegistered(temporal, parts.jobs, log)
  const finished = run.finally(async () => {
    registration.stop()
    await Promise.all([relay.stop(), sequencer.stop()])
    await connection.close()
  })
  const running = () => worker.getState() === 'RUNNING'
  return {
    finished,
    running,
    async stop() {
      if (running()) worker.shutdown()
      await finished
    },
  }
}
