import { defineWork } from '../../frame/pending-work.ts'

/** Rows of the first tenant's work: operators ask for it. */
const ofOperators = (table: string, columns: string) =>
  `(select ${columns}, (select id from tenants where is_first) as tenant_id from ${table} x)`

/** An export until its file is whole. */
export const exportWork = defineWork<'exportTenant'>({
  workflowType: 'exportTenant',
  table: ofOperators('tenant_exports', 'x.id, x.state, x.created_at'),
  underWay: `w.state = 'RUNNING'`,
  since: 'w.created_at',
  payload: ({ tenantId, id }) => ({ tenantId, exportId: id }),
  about: () => [],
})

/** An import until its tenant is there, or nothing of it. */
export const importWork = defineWork<'importTenant'>({
  workflowType: 'importTenant',
  table: ofOperators('tenant_imports', 'x.id, x.state, x.created_at'),
  underWay: `w.state in ('CHECKING', 'WRITING')`,
  since: 'w.created_at',
  payload: ({ tenantId, id }) => ({ tenantId, importId: id }),
  about: () => [],
})
