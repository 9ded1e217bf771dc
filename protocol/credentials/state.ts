/** What a verifier would find by the stored status and the dates: the first that applies of those below. */
export const STATES = ['revoked', 'suspended', 'expired', 'active'] as const
export type CredentialState = (typeof STATES)[number]

export interface StateParts {
  revoked: boolean
  suspended: boolean
  expirationDate?: Date | null | undefined
}

/** A revoked credential stays revoked after its end, and a suspended one that has ended is suspended. */
export function stateOf({ revoked, suspended, expirationDate }: StateParts, now: Date): CredentialState {
  if (revoked) return 'revoked'
  if (suspended) return 'suspended'
  return expirationDate && expirationDate <= now ? 'expired' : 'active'
}
