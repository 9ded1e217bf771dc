/** The end of a call of a claim source, with all its attempts: claims, or a named failure. */
export const CLAIMS_FETCHED_ENTRY = { name: 'OPENID_CLAIM_SOURCE_RETRIEVE', category: 'openid' } as const

export const CLAIM_SOURCE_ENTRIES = [CLAIMS_FETCHED_ENTRY] as const
