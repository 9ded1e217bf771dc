import { defineWork, type WorkRow } from '../frame/pending-work.ts'

/**
 * A domain until it is given up, from its next look on: one that is verified is looked at every week, and until then
 * nobody misses its workflow.
 */
export const domainWork = defineWork<'verifyDomain', WorkRow & { attempt: number; domain: string }>({
  workflowType: 'verifyDomain',
  table: 'domains',
  columns: 'w.attempt, w.domain',
  underWay: 'w.given_up_at is null',
  since: 'coalesce(w.next_look_at, w.waiting_since)',
  payload: ({ tenantId, id, attempt }) => ({ tenantId, domainId: id, attempt }),
  about: ({ domain }) => [{ domain }],
})
