import type { StatusPurpose } from './index.ts'

export interface StatusChanged {
  purpose: StatusPurpose
  value: boolean
}

export interface Lifetime {
  /** Time of signing: before it the credential was not valid, whatever its dates are. */
  createdAt: Date
  issuanceDate: Date
  expirationDate?: Date | null
}

export type PastReason = 'NotYetValid' | 'Expired' | 'Revoked' | 'Suspended'

export interface PastStatus {
  at: Date
  isRevoked: boolean
  isSuspended: boolean
  /** Whether there is no reason. */
  isValid: boolean
  reasons: PastReason[]
}

/**
 * Returns the status of a credential at a time, from the changes up to that time, oldest first. As in verification, it
 * is valid from the first moment on and expired at the last (data model 2.0, section 4.9).
 */
export function statusAt(lifetime: Lifetime, changes: readonly StatusChanged[], at: Date): PastStatus {
  const { createdAt, issuanceDate, expirationDate } = lifetime
  const last = (purpose: StatusPurpose) => changes.findLast((change) => change.purpose === purpose)?.value ?? false
  const [isRevoked, isSuspended] = [last('revocation'), last('suspension')]
  const reasons: PastReason[] = []
  if (at < issuanceDate || at < createdAt) reasons.push('NotYetValid')
  if (expirationDate && at >= expirationDate) reasons.push('Expired')
  if (isRevoked) reasons.push('Revoked')
  if (isSuspended) reasons.push('Suspended')
  return { at, isRevoked, isSuspended, isValid: reasons.length === 0, reasons }
}
