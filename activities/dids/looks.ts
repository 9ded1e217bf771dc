import type { OutboundConfig } from '../../config.ts'
import { type Crowded, type Exhausted, isUncalled, Refusal, Unavailable } from '../../protocol/errors.ts'
import { toUsableText } from '../../protocol/json.ts'
import { assertCallable } from '../frame/outbound/url.ts'

/** Why a DID does not resolve: a stable code, and a sentence for people. */
export interface Fault {
  code: string
  reason: string
}

export const KEYS_MISSING: Fault = {
  code: 'did.keys_missing',
  reason:
    'The published DID document lacks keys of this DID, or verifiers must not use them as it says: publish the document that the platform returns.',
}

/**
 * Returns why nobody outside can ever resolve a DID that we host: the name or the port of its address. DNS is not asked
 * (D-164). undefined: the world may see it.
 */
export function hostFault(address: string, outbound: OutboundConfig): Fault | undefined {
  try {
    assertCallable(address, outbound)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return {
      code: 'did.host_not_public',
      reason:
        `No verifier outside can resolve this DID. ${error.message} Set PUBLIC_URL to an https address of a ` +
        'public domain; then delete this DID and create one there.',
    }
  }
}

/** A look that was not made: the tenant has looked at the host too often, or too many wait for it. It says nothing of the host. */
export const postponed = ({ message }: Exhausted | Crowded): Fault => ({
  code: 'did.look_postponed',
  reason: `The platform looks later. ${toUsableText(message)}`,
})

/**
 * Returns why a look failed. A host that cannot be reached has one code, whatever DNS says (D-164). Throws faults of our
 * own, and what says that nobody has looked.
 */
export function lookFault(error: unknown): Fault {
  if (isUncalled(error) || !(error instanceof Refusal || error instanceof Unavailable)) throw error
  // it may repeat what a stranger wrote, and is stored
  const reason = toUsableText(error.message)
  const cause = error instanceof Refusal && error.code === 'did.unresolvable' ? error.cause : error
  if (cause instanceof Unavailable) return { code: 'did.host_unreachable', reason }
  return { code: cause instanceof Refusal ? cause.code : 'did.document_missing', reason }
}
