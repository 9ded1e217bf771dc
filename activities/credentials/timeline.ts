import { inTenant } from '../../entities/orm.ts'
import { eventType, operationOf } from '../../protocol/credentials/timeline.ts'
import { workflows } from '../../protocol/workflows.ts'
import type { Dependencies } from '../dependencies.ts'
import { schedules } from '../frame/schedules.ts'
import { createWorkflowPages, type WorkflowPage } from '../frame/temporal/pages.ts'
import { TIMELINE_COUNT, TIMELINE_PAGE } from './timeline.statement.ts'

interface EventRow {
  at: Date
  type: string
  entry: string | null
  request_id: string | null
  client_id: string | null
  details: Details
}

/** Members without a value are null. */
type Details = Readonly<Record<string, string | number | boolean | null>>

/** A step in the life of a credential. Ids and codes only: no personal data. */
export interface TimelineEvent {
  at: Date
  type: string
  /** Log name of the operation that caused it. */
  operation?: string
  clientId?: string
  requestId?: string
  /** The workflow that did it, or does it. */
  workflow?: WorkflowPage
  /** The schedule whose workflow did it. */
  scheduleId?: string
  details: Readonly<Record<string, string | number | boolean>>
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Id of the workflow of a step: of the batch, of the bulk revocation, or of the notification. */
function workflowIdOf(tenantId: string, details: Details): string | undefined {
  const [batchId, revocationId, notificationId] = [
    text(details.batch_id),
    text(details.revocation_id),
    text(details.notification_id),
  ]
  if (revocationId) return workflows.revokeCredentials.id({ tenantId, revocationId })
  if (notificationId) return workflows.notifyStatus.id({ tenantId, notificationId })
  return batchId && workflows.signBatch.id({ tenantId, batchId })
}

/** What happened to a credential, from rows and log entries. */
export function createTimeline({
  database,
  logs,
  config,
  now,
}: Pick<Dependencies, 'database' | 'logs' | 'config' | 'now'>) {
  const pageOf = createWorkflowPages({ config })

  function toEvent(tenantId: string, row: EventRow): TimelineEvent {
    const { at, type, entry, request_id: requestId, client_id: clientId, details } = row
    const workflowId = workflowIdOf(tenantId, details)
    const known = Object.entries(details).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
    return {
      at: new Date(at),
      type: eventType(type),
      ...(entry && { operation: operationOf(entry) }),
      ...(clientId && { clientId }),
      ...(requestId && { requestId }),
      ...(workflowId && { workflow: pageOf(workflowId) }),
      ...(details.scheduled === true && { scheduleId: schedules.publishStatusLists.id }),
      details: Object.fromEntries(known),
    }
  }

  return {
    /** Oldest first; empty for a credential that the tenant does not have. */
    async readTimeline(tenantId: string, id: string, { limit, offset }: { limit: number; offset: number }) {
      await logs.flush()
      return inTenant(database.tenants, tenantId, async (em) => {
        const [count] = await em.execute<{ total: number }[]>(TIMELINE_COUNT, [id, now()])
        const rows = await em.execute<EventRow[]>(TIMELINE_PAGE, [id, now(), limit, offset])
        // an event may come between the two statements
        const read = rows.length > 0 ? offset + rows.length : 0
        return { events: rows.map((row) => toEvent(tenantId, row)), total: Math.max(count?.total ?? 0, read) }
      })
    },
  }
}

export type Timeline = ReturnType<typeof createTimeline>
