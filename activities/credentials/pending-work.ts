import { defineWork, type WorkRow } from '../frame/pending-work.ts'

/**
 * A batch until its last row is done, or, if cancelled, until its rows are erased; also in a pause that ends by itself.
 */
export const batchWork = defineWork<
  'signBatch',
  WorkRow & { total: number; templateId: string | null; issuers: string[] }
>({
  workflowType: 'signBatch',
  table: 'credential_batches',
  columns: 'w.total, w.template_id as "templateId", w.issuers',
  underWay: `w.state in ('PROCESSING', 'PAUSED', 'CANCELLED') and w.discarded_at is null
    and (w.state <> 'PAUSED' or w.pause_code = 'keys.unavailable')`,
  since: 'greatest(w.created_at, w.resumed_at, w.ended_at)',
  payload: ({ tenantId, id, total }) => ({ tenantId, batchId: id, total }),
  about: ({ templateId, issuers }) => [{ templateId, issuers }],
})

/** A revocation of many until everything is revoked. */
export const revocationWork = defineWork<'revokeCredentials', WorkRow & { scope: string; subject: string }>({
  workflowType: 'revokeCredentials',
  table: 'credential_revocations',
  columns: 'w.scope, w.subject',
  underWay: `w.state = 'REVOKING'`,
  since: 'w.created_at',
  payload: ({ tenantId, id }) => ({ tenantId, revocationId: id }),
  about: ({ scope, subject }) => [{ scope, subject }],
})

/** A notification until it was sent or has failed. */
export const notificationWork = defineWork<'notifyStatus', WorkRow & { credentialId: string }>({
  workflowType: 'notifyStatus',
  table: 'credential_notifications',
  columns: 'w.credential_id as "credentialId"',
  underWay: `w.state = 'PENDING'`,
  since: 'w.created_at',
  payload: ({ tenantId, id }) => ({ tenantId, notificationId: id }),
  about: ({ credentialId }) => [{ credentialId }],
})
