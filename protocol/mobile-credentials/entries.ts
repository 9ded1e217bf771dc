const category = 'mobile-credential'

/** What the sweep of certificates writes. */
export const IACA_EXPIRY_ENTRY = { name: 'MOBILE_CREDENTIAL_IACA_EXPIRY_NOTICE', category } as const
export const SIGNER_EXPIRY_ENTRY = { name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_EXPIRY_NOTICE', category } as const
export const SIGNER_RENEWAL_ENTRY = { name: 'MOBILE_CREDENTIAL_DOCUMENT_SIGNER_RENEW', category } as const

export const MOBILE_CREDENTIAL_ENTRIES = [IACA_EXPIRY_ENTRY, SIGNER_EXPIRY_ENTRY, SIGNER_RENEWAL_ENTRY] as const
