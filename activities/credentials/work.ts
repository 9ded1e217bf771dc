import { defineWork, type WorkRow } from '../frame/work.ts'

const area = 'semantic-credentials'

/** A batch until its last row is done; one that was cancelled, until its rows are erased. A pause that ends by itself counts. */
export const batchWork = defineWork<WorkRow & { total: number }>({
  workflowType: 'signBatch',
  table: 'credential_batches',
  columns: 'w.total',
  underWay: `w.state in ('PROCESSING', 'PAUSED', 'CANCELLED') and w.discarded_at is null
    and (w.state <> 'PAUSED' or w.pause_code = 'keys.unavailable')`,
  since: 'greatest(w.created_at, w.resumed_at, w.ended_at)',
  start: ({ tenantId, id, total }) => ({
    area,
    workflowId: `${tenantId}/${area}/batches/${id}`,
    summary: `sign batch ${id}: ${total} rows`,
    payload: { tenantId, batchId: id, total },
  }),
})

/** A revocation of many until everything is revoked. */
export const revocationWork = defineWork<WorkRow & { scope: string; subject: string }>({
  workflowType: 'revokeCredentials',
  table: 'credential_revocations',
  columns: 'w.scope, w.subject',
  underWay: `w.state = 'REVOKING'`,
  since: 'w.created_at',
  start: ({ tenantId, id, scope, subject }) => ({
    area,
    workflowId: `${tenantId}/${area}/revocations/${id}`,
    summary: `revoke what came from ${scope} ${subject.slice(0, 100)}`,
    payload: { tenantId, revocationId: id },
  }),
})

/** A message to a holder until it was sent, or given up. */
export const notificationWork = defineWork<WorkRow & { credentialId: string }>({
  workflowType: 'notifyStatus',
  table: 'credential_notifications',
  columns: 'w.credential_id as "credentialId"',
  underWay: `w.state = 'PENDING'`,
  since: 'w.created_at',
  start: ({ tenantId, id, credentialId }) => ({
    area,
    workflowId: `${tenantId}/${area}/notifications/${id}`,
    summary: `tell a holder of the status of credential ${credentialId}`,
    payload: { tenantId, notificationId: id },
  }),
})
