import { defineWork } from '../../frame/pending-work.ts'

/** Rows of the first tenant's work: they have no tenant of their own. */
const ofOperators = (table: string) =>
  `(select x.*, (select id from tenants where is_first) as tenant_id from ${table} x)`

/** A tenant until what was asked for with it is made, or cannot be made. */
export const provisioningWork = defineWork<'provisionTenant'>({
  workflowType: 'provisionTenant',
  table: ofOperators('tenants'),
  underWay: `w.status = 'provisioning' and w.deleted_at is null`,
  since: 'w.created_at',
  payload: ({ tenantId, id }) => ({ tenantId, subjectTenantId: id }),
  about: () => [],
})

/** A deleted tenant until nothing is left of it. */
export const erasureWork = defineWork<'deleteTenant'>({
  workflowType: 'deleteTenant',
  table: ofOperators('deleted_tenants'),
  underWay: 'w.erased_at is null',
  since: 'w.requested_at',
  payload: ({ tenantId, id }) => ({ tenantId, subjectTenantId: id }),
  about: () => [],
})
