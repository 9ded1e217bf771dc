import { defineWork } from '../../frame/pending-work.ts'

/** A mail until it is sent, or given up; while it waits, from its next attempt on. The first tenant stands for all. */
export const mailWork = defineWork<'deliverMail'>({
  workflowType: 'deliverMail',
  table: `(select m.*, (select t.id from tenants t where t.is_first) as tenant_id from account_mails m)`,
  underWay: `w.state = 'PENDING'`,
  since: 'coalesce(w.next_attempt_at, w.created_at)',
  payload: ({ tenantId, id }) => ({ tenantId, mailId: id }),
  about: () => [],
})
