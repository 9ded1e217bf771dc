import { defineWork, type WorkRow } from '../../frame/pending-work.ts'

/**
 * A session that a wallet waits for, or whose time is up. One that waits for its wallet needs no workflow until then: the
 * wallet's request starts it.
 */
export const sessionWork = defineWork<'issueOpenIdCredentials', WorkRow & { templateIds: string[] }>({
  workflowType: 'issueOpenIdCredentials',
  table: 'openid_sessions',
  columns: `array(select i.template_id::text from openid_issuances i
    where i.tenant_id = w.tenant_id and i.session_id = w.id order by i.place) as "templateIds"`,
  underWay: `w.ended_at is null and (w.ends_at <= now() or exists (select from openid_issuances i
    where i.tenant_id = w.tenant_id and i.session_id = w.id and i.state = 'PENDING'))`,
  since: 'least(w.ends_at, w.updated_at)',
  payload: ({ tenantId, id }) => ({ tenantId, sessionId: id }),
  about: ({ templateIds }) => [{ templateIds }],
})
