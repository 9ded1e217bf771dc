import { p } from '@mikro-orm/core'

/**
 * The first of the two fences between tenants: a query through a fork without a tenant throws, because the filter has
 * no argument. The second is row-level security (migrations/).
 */
export const ownedByTenant = {
  tenant: {
    name: 'tenant',
    cond: ({ tenantId }: { tenantId: string }) => (tenantId === EVERY_TENANT ? {} : { tenantId }),
    default: true,
  },
}

/** Filter argument of the system role's forks, in place of a tenant; row-level security still decides what they see. */
export const EVERY_TENANT = 'every tenant'

/** Columns of every owned row. The caller makes the ids, so that a repeated step finds its own row. */
export const owned = {
  id: p.uuid().primary(),
  tenantId: p.uuid(),
  createdAt: p.datetime().onCreate(() => new Date()),
}

/** What the roles of the API and the worker (`app`) and of scheduled work (`system`) may do with each table. */
export type Rights = Readonly<Record<string, { app?: string; system?: string }>>

export const EVERYTHING = 'select, insert, update, delete'
