const category = 'tenant'

/** What was asked for with a tenant is made, or cannot be made. */
export const TENANT_PROVISION_ENTRY = { name: 'TENANT_PROVISION', category } as const

/** Nothing is left of a deleted tenant. */
export const TENANT_ERASE_ENTRY = { name: 'TENANT_ERASE', category } as const

/** The file of an export is whole, or cannot be made. */
export const TENANT_EXPORT_ENTRY = { name: 'TENANT_EXPORT', category } as const

/** An imported tenant is there, or nothing of it. */
export const TENANT_IMPORT_ENTRY = { name: 'TENANT_IMPORT', category } as const

/** Entries of what goes on after the request of an operator, in the first tenant's log. */
export const ADMINISTRATION_ENTRIES = [
  TENANT_PROVISION_ENTRY,
  TENANT_ERASE_ENTRY,
  TENANT_EXPORT_ENTRY,
  TENANT_IMPORT_ENTRY,
] as const
