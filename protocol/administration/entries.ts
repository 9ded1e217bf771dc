const category = 'tenant'

/** What was asked for with a tenant is made, or cannot be made. */
export const TENANT_PROVISION_ENTRY = { name: 'TENANT_PROVISION', category } as const

/** Nothing is left of a deleted tenant. */
export const TENANT_ERASE_ENTRY = { name: 'TENANT_ERASE', category } as const

/** The command line made an account an operator's. */
export const OPERATOR_MAKE_ENTRY = { name: 'OPERATOR_ACCOUNT_MAKE', category: 'account' } as const

/** The command line took that from an account. */
export const OPERATOR_END_ENTRY = { name: 'OPERATOR_ACCOUNT_END', category: 'account' } as const

/** Entries of what goes on after the request of an operator, or without one, in the first tenant's log. */
export const ADMINISTRATION_ENTRIES = [
  TENANT_PROVISION_ENTRY,
  TENANT_ERASE_ENTRY,
  OPERATOR_MAKE_ENTRY,
  OPERATOR_END_ENTRY,
] as const
