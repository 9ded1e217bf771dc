/** A holder came back from an authentication provider: identified, or with a reason why not. */
export const AUTHENTICATION_ENTRY = { name: 'USER_AUTHENTICATION', category: 'user' } as const

export const OPENID_ENTRIES = [AUTHENTICATION_ENTRY] as const
