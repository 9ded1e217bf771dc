import { WorkflowNotFoundError } from '@temporalio/client'
import { isUuid } from '../../../protocol/uuid.ts'
import type { Temporal } from './index.ts'

type Calls = Pick<Temporal, 'client' | 'within'>

/** As whom Temporal's server terminates a workflow: one whose history is too long, or too large. */
const SERVER = 'history-service'
/** HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT of Temporal's API. */
const CLOSE_EVENT = 2

/** Whether Temporal terminated a run itself, and no operator did. */
export async function isEndedByServer(
  { connection, namespace, within }: Pick<Temporal, 'connection' | 'namespace' | 'within'>,
  execution: { workflowId: string; runId: string },
): Promise<boolean> {
  const { history } = await within(() =>
    connection.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution,
      historyEventFilterType: CLOSE_EVENT,
    }),
  )
  return history?.events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.identity === SERVER
}

/** Ids of workflows of a tenant that run, at most so many. What Temporal lists is some moments old. */
export async function runningWorkflows({ client, within }: Calls, tenantId: string, limit: number): Promise<string[]> {
  if (!isUuid(tenantId)) throw new Error('the id of a tenant is a UUID')
  const query = `TenantId = '${tenantId}' and ExecutionStatus = 'Running'`
  return within(async () => {
    const found: string[] = []
    for await (const { workflowId } of client.workflow.list({ query, pageSize: limit })) {
      found.push(workflowId)
      if (found.length === limit) break
    }
    return found
  })
}

/** Ends a workflow, whatever it is at; false: it had ended already. Safe to repeat. */
export async function terminateWorkflow(
  { client, within }: Calls,
  workflowId: string,
  reason: string,
): Promise<boolean> {
  try {
    await within(() => client.workflow.getHandle(workflowId).terminate(reason))
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
