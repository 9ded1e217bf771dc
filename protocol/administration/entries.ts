const category = 'tenant'

/** What was asked for with a tenant is made, or cannot be made. */
export const TENANT_PROVISION_ENTRY = { name: 'TENANT_PROVISION', category } as const

/** Nothing is left of a deleted tenant. */
export const TENANT_ERASE_ENTRY = { name: 'TENANT_ERASE', category } as const

/** The command line made an account an operator's. */
export const OPERATOR_MAKE_ENTRY = { name: 'OPERATOR_ACCOUNT_MAKE', category: 'account' } as const

/** The command line took that from an account. */
export const OPERATOR_END_ENTRY = { name: 'OPERATOR_ACCOUNT_END', category: 'account' } as const

/** An erasure has ended: all that it could find is erased. */
export const ERASURE_ENTRY = { name: 'PRIVACY_ERASURE_COMPLETE', category: 'privacy' } as const

/** What the tenant keeps no longer is erased. */
export const RETENTION_ENTRY = { name: 'PRIVACY_RETENTION_COMPLETE', category: 'privacy' } as const

/** The file of an export is whole, or cannot be made. */
export const TENANT_EXPORT_ENTRY = { name: 'TENANT_EXPORT', category } as const

/** An imported tenant is there, or nothing of it. */
export const TENANT_IMPORT_ENTRY = { name: 'TENANT_IMPORT', category } as const

/** What goes on after a request, or without one: about tenants and operators in the first tenant's log, about persons in their tenant's. */
export const ADMINISTRATION_ENTRIES = [
  TENANT_PROVISION_ENTRY,
  TENANT_ERASE_ENTRY,
  TENANT_EXPORT_ENTRY,
  TENANT_IMPORT_ENTRY,
  OPERATOR_MAKE_ENTRY,
  OPERATOR_END_ENTRY,
  ERASURE_ENTRY,
  RETENTION_ENTRY,
] as const
