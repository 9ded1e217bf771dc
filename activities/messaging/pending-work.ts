import { defineWork } from '../frame/pending-work.ts'

/** A message to a service elsewhere until its delivery ends; while it waits, from its next attempt on. */
export const messageWork = defineWork<'deliverMessage'>({
  workflowType: 'deliverMessage',
  table: 'sent_messages',
  underWay: 'true', // the row goes at the end
  since: 'coalesce(w.next_attempt_at, w.created_at)',
  payload: ({ tenantId, id }) => ({ tenantId, sentId: id }),
  about: () => [],
})
