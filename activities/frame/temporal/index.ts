import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import type { Config } from '../../../config.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { createDataConverter } from './codec.ts'
import { secured } from './secured.ts'
import { createStarter, startOptions, temporalFailure, type WorkflowStart } from './starts.ts'

/** Longest wait of a caller; by default the SDK blocks for 21 s while Temporal is unavailable. */
export const CALL_DEADLINE_MS = 2_000

/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const WORKFLOW_QUEUE = 1

/** A workflow that makes an outbound request before it answers an update. */
const UPDATE_DEADLINE_MS = 8_000

/**
 * Returns a client that connects at its first use, so that a process serves requests without workflows while Temporal
 * is unavailable. Every call ends within 2 s; without an answer it throws `Unavailable('temporal')`.
 */
export function connectTemporal({ temporal, masterKey }: Pick<Config, 'temporal' | 'masterKey'>) {
  const connection = Connection.lazy({
    address: temporal.address,
    ...secured(temporal.tls),
    // by default grpc-js waits up to two minutes between attempts; a Temporal that is back must be used within seconds
    channelArgs: {
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 15_000,
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 2_000,
    },
    // the SDK's ten attempts wait for seconds, past the deadline too
    interceptors: [
      makeGrpcRetryInterceptor(
        defaultGrpcRetryOptions({ maxAttempts: 3, initialIntervalMs: () => 100, maxIntervalMs: () => 400 }),
      ),
    ],
  })
  const { namespace, taskQueue } = temporal
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(masterKey) })

  const underWay = new Set<Promise<unknown>>()
  let closing = false

  const within = async <T>(call: () => Promise<T>, deadlineMs = CALL_DEADLINE_MS): Promise<T> => {
    if (closing) throw new Unavailable('temporal', 'The connection to Temporal is closed.')
    const answer = (async () => connection.withDeadline(Date.now() + deadlineMs, call))()
    underWay.add(answer)
    try {
      return await answer
    } catch (error) {
      throw temporalFailure(error)
    } finally {
      underWay.delete(answer)
    }
  }

  return {
    client,
    connection,
    namespace,
    taskQueue,
    /** Runs calls to Temporal within the deadline; throws `Unavailable` for its outages. */
    within,

    startWorkflow: createStarter({ client, within, taskQueue }),

    /**
     * Sends an update to a workflow and returns its answer; starts the workflow first where none with the id runs, also
     * after one ended. Throws `Unavailable('temporal')` where no answer comes within 8 s, as without a worker.
     */
    async updateWithStart(
      { workflowType, workflowId, payload, ...subject }: WorkflowStart,
      update: string,
    ): Promise<unknown> {
      const startWorkflowOperation = new WithStartWorkflowOperation(workflowType, {
        ...startOptions(subject),
        taskQueue,
        workflowId,
        args: [payload],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      })
      try {
        return await within(
          () => client.workflow.executeUpdateWithStart(update, { args: [], startWorkflowOperation }),
          UPDATE_DEADLINE_MS,
        )
      } catch (error) {
        // the workflow ended with the update or before it; updates of ours do not fail otherwise
        if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError)
          throw new Unavailable('temporal', 'The workflow ended before it answered.', 5, { cause: error })
        throw error
      }
    },

    /** For readiness: throws `Unavailable('temporal')` unless the namespace answers. */
    async check(): Promise<void> {
      await within(() => connection.workflowService.describeNamespace({ namespace }))
    },

    /** When a worker last asked for work; undefined: none did lately. Throws `Unavailable('temporal')`. */
    async polledAt(): Promise<Date | undefined> {
      const queue = { namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW_QUEUE }
      const { pollers } = await within(() => connection.workflowService.describeTaskQueue(queue))
      const seconds = (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0))
      return seconds.length > 0 ? new Date(Math.max(...seconds) * 1000) : undefined
    },

    /**
     * Waits for the running calls and refuses further ones: an SDK retry on a closed channel throws in a timer, which
     * ends the process.
     */
    async close(): Promise<void> {
      closing = true
      await Promise.allSettled(underWay)
      await connection.close()
    },
  }
}

export type Temporal = ReturnType<typeof connectTemporal>
