import { p } from '@mikro-orm/core'

/**
 * The first of the two fences between tenants: a query through a fork that was given no tenant throws, because the
 * filter finds no argument. The second is row-level security (migrations/).
 */
export const ownedByTenant = {
  tenant: {
    name: 'tenant',
    cond: ({ tenantId }: { tenantId: string }) => (tenantId === EVERY_TENANT ? {} : { tenantId }),
    default: true,
  },
}

/** What the system role's forks give in place of a tenant; row-level security still decides what they see. */
export const EVERY_TENANT = 'every tenant'

/** Columns of every owned row. Ids are made by the caller, so that a repeated step finds its own row. */
export const owned = {
  id: p.uuid().primary(),
  tenantId: p.uuid(),
  createdAt: p.datetime().onCreate(() => new Date()),
}
