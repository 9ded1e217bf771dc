/** A holder came back from an authentication provider: identified, or with a reason why not. */
export const AUTHENTICATION_ENTRY = { name: 'USER_AUTHENTICATION', category: 'user' } as const

/** The credentials that a wallet asked for: issued, or with a reason why not. */
export const OPENID_CREDENTIAL_ENTRY = { name: 'OPENID_CREDENTIAL_ISSUE', category: 'openid' } as const

/** A session has ended by itself: all that was offered was issued, or with a reason why not. */
export const OPENID_SESSION_ENTRY = { name: 'OPENID_SESSION_END', category: 'openid' } as const

/** A person signed in at a verifier with a credential, or not: with a reason why. */
export const SIGN_IN_ENTRY = { name: 'OIDC_VERIFIER_AUTH', category: 'oidc-verifier' } as const

/** A request for credentials has ended: verified, or with a reason why not. */
export const PRESENTATION_ENTRY = { name: 'OPENID4VP_REQUEST_END', category: 'openid4vp' } as const

export const OPENID_ENTRIES = [
  AUTHENTICATION_ENTRY,
  OPENID_CREDENTIAL_ENTRY,
  OPENID_SESSION_ENTRY,
  SIGN_IN_ENTRY,
  PRESENTATION_ENTRY,
] as const
