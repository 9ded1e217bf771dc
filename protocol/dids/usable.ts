import { momentOf } from '../dates.ts'
import { type Clock, hasCome } from '../time.ts'
import { type DidDocument, dereference, type Relationship, type VerificationMethod } from './index.ts'

/** Why a method must not be used: the document does not allow it for the purpose, or has ended it. */
export interface MethodFault {
  code: 'key_not_allowed' | 'key_ended'
  message: string
}

/**
 * A method is not valid from the time on at which it expires or was revoked (Controlled Identifiers 1.0, section 2.2).
 */
function endOf(method: VerificationMethod, clock: Clock): string | undefined {
  for (const member of ['revoked', 'expires'] as const) {
    if (method[member] === undefined) continue
    const moment = momentOf(method[member], { zoneRequired: false })
    if (moment === undefined || hasCome(moment, clock))
      return `The DID document marks ${method.id.slice(0, 200)} as ${member === 'expires' ? 'expired' : 'revoked'}.`
  }
  return undefined
}

/**
 * Returns the verification method of a DID URL, with the fault for which it must not be used now for the purpose, if it has
 * one. Whatever is verified by a key of a DID asks this function, and not `dereference`, which knows no time (D-134).
 * Throws `Refusal('did.method_not_found')`, `Refusal('did.invalid')`.
 */
export function usableMethod(
  document: DidDocument,
  didUrl: string,
  purpose: Relationship,
  clock: Clock,
): { method: VerificationMethod; fault?: MethodFault } {
  const { method, authorized } = dereference(document, didUrl, purpose)
  if (!authorized) {
    const message = `The DID document does not allow ${didUrl.slice(0, 200)} for ${purpose}.`
    return { method, fault: { code: 'key_not_allowed', message } }
  }
  const end = endOf(method, clock)
  return { method, ...(end !== undefined && { fault: { code: 'key_ended', message: end } }) }
}
