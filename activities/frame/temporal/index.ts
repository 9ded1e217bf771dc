import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcDeadlineError,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import {
  defineSearchAttributeKey,
  NamespaceNotFoundError,
  type SearchAttributePair,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/common'
import type { Config } from '../../../config.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { createDataConverter } from './codec.ts'

/** Longest wait of a caller; by default the SDK blocks for 21 s while Temporal is unavailable. */
const CALL_DEADLINE_MS = 2_000

/**
 * What an operator searches by. Temporal keeps these in plain text, so they hold opaque ids and a readable line that
 * names no person. Keyword, because text is not searchable by equality. One list, because a namespace on SQL has three
 * lists and ten keywords, for all that use it.
 */
export const searchAttributes = {
  TenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  Area: defineSearchAttributeKey('Area', 'KEYWORD'),
  ObjectId: defineSearchAttributeKey('ObjectId', 'KEYWORD'),
  ObjectIds: defineSearchAttributeKey('ObjectIds', 'KEYWORD_LIST'),
  Summary: defineSearchAttributeKey('Summary', 'KEYWORD'),
}

/** A batch may have rows of many issuers; Temporal takes 2 kB for a list without being asked for more. */
const MOST_OBJECTS = 20

/** A keyword holds 255 characters in Temporal's SQL visibility stores. */
const keyword = (value: string): string => (value.length > 255 ? `${value.slice(0, 254)}…` : value)

export interface WorkflowSubject {
  /** The owner's id, or `platform` for scheduled jobs. */
  tenantId: string
  /** Slug of the area. */
  area: string
  /** Id of the workflow's row. */
  objectId: string
  /** Opaque names of other objects that it concerns (temporal/contract.ts). */
  objectIds?: readonly string[]
  /** One line for operators, without personal data: it is stored in plain text. */
  summary: string
}

/** Options of every start, so that the Temporal UI can show all workflows of an object. */
export const startOptions = ({ tenantId, area, objectId, objectIds = [], summary }: WorkflowSubject) => ({
  staticSummary: keyword(summary),
  // its activities inherit it: tenants take turns on the task queue (D-202)
  priority: { fairnessKey: tenantId },
  typedSearchAttributes: [
    { key: searchAttributes.TenantId, value: keyword(tenantId) },
    { key: searchAttributes.Area, value: keyword(area) },
    { key: searchAttributes.ObjectId, value: keyword(objectId) },
    {
      key: searchAttributes.ObjectIds,
      value: [...new Set([objectId, ...objectIds].map(keyword))].slice(0, MOST_OBJECTS),
    },
    { key: searchAttributes.Summary, value: keyword(summary) },
  ] satisfies SearchAttributePair[],
})

export interface WorkflowStart extends WorkflowSubject {
  workflowType: string
  /** The idempotency key: the work is done once, however often it is requested. */
  workflowId: string
  /** The workflow's one argument, plain JSON. */
  payload: unknown
}

/** A workflow that makes an outbound request before it answers an update. */
const UPDATE_DEADLINE_MS = 8_000

/** gRPC status codes after which a retry may succeed (grpc/grpc, doc/statuscodes.md). */
const TRANSIENT = new Map([
  [1, 'cancelled'],
  [4, 'deadline exceeded'],
  [8, 'resource exhausted'],
  [14, 'unavailable'],
])

/** Error of a Temporal that has lost its database, until the worker has registered the search attributes again. */
const BARE = /no mapping defined for search attribute/

/** Converts a failure of Temporal: `Unavailable` when the same call may succeed later, else the error itself. */
const temporalFailure = (error: unknown): unknown => {
  const status = isGrpcServiceError(error) ? error : error instanceof Error ? error.cause : undefined
  const bare = error instanceof NamespaceNotFoundError || (isGrpcServiceError(status) && BARE.test(status.details))
  if (bare) return new Unavailable('temporal', 'Temporal is not set up yet', 5, { cause: error })
  const transient = isGrpcServiceError(status) ? TRANSIENT.get(status.code) : undefined
  if (transient === undefined && !isGrpcDeadlineError(error)) return error
  return new Unavailable('temporal', `Temporal does not answer (${transient ?? 'deadline exceeded'})`, 5, {
    cause: error,
  })
}

/**
 * Returns a client that connects at its first use, so that a process serves requests without workflows while Temporal
 * is unavailable. Every call ends within 2 s; without an answer it throws `Unavailable('temporal')`.
 */
export function connectTemporal({ temporal, masterKey }: Pick<Config, 'temporal' | 'masterKey'>) {
  const connection = Connection.lazy({
    address: temporal.address,
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

    /**
     * Starts a workflow once: a second start with the same id, while it runs or after it closed, changes nothing.
     * `again`: starts it again after it closed.
     */
    async startWorkflow(
      { workflowType, workflowId, payload, ...subject }: WorkflowStart,
      { again = false } = {},
    ): Promise<'started' | 'already started'> {
      try {
        await within(() =>
          client.workflow.start(workflowType, {
            ...startOptions(subject),
            taskQueue,
            workflowId,
            args: [payload],
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
          }),
        )
        return 'started'
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already started'
        throw error
      }
    },

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
