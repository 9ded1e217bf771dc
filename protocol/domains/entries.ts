const category = 'config-custom-domain'

/** A domain was verified, or given up. */
export const DOMAIN_STATUS_ENTRY = { name: 'CONFIG_CUSTOM_DOMAIN_STATUS', category } as const

export const DOMAIN_ENTRIES = [DOMAIN_STATUS_ENTRY] as const
