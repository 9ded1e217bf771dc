import { type Client, isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client'
import {
  defineSearchAttributeKey,
  NamespaceNotFoundError,
  type SearchAttributePair,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common'
import { Unavailable } from '../../../protocol/errors.ts'

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
export const temporalFailure = (error: unknown): unknown => {
  const status = isGrpcServiceError(error) ? error : error instanceof Error ? error.cause : undefined
  const bare = error instanceof NamespaceNotFoundError || (isGrpcServiceError(status) && BARE.test(status.details))
  if (bare) return new Unavailable('temporal', 'Temporal is not set up yet', 5, { cause: error })
  const transient = isGrpcServiceError(status) ? TRANSIENT.get(status.code) : undefined
  if (transient === undefined && !isGrpcDeadlineError(error)) return error
  return new Unavailable('temporal', `Temporal does not answer (${transient ?? 'deadline exceeded'})`, 5, {
    cause: error,
  })
}

export interface StarterParts {
  client: Pick<Client, 'workflow'>
  /** Runs a call within the deadline; throws `Unavailable` for outages. */
  within<T>(call: () => Promise<T>): Promise<T>
  taskQueue: string
  /**
   * Whether the answer of a start may bring its first task to the worker in this process, which then does not wait in the
   * task queue. For a client on the worker's own connection alone.
   */
  eager?: boolean
}

/**
 * Returns a function that starts a workflow once: a second start with the same id, while it runs or after it closed,
 * changes nothing. `again`: starts it again after it closed.
 */
export const createStarter =
  ({ client, within, taskQueue, eager = false }: StarterParts) =>
  async (
    { workflowType, workflowId, payload, ...subject }: WorkflowStart,
    { again = false } = {},
  ): Promise<'started' | 'already started'> => {
    try {
      await within(() =>
        client.workflow.start(workflowType, {
          ...startOptions(subject),
          taskQueue,
          workflowId,
          args: [payload],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
          requestEagerStart: eager,
        }),
      )
      return 'started'
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already started'
      throw error
    }
  }
