import type { Json } from '../../json.ts'
import { holderKey } from '../../sd-jwt-credentials/key-binding.ts'
import { type Check, failed, proofsOf, signerOf } from '../../semantic-credentials/presentations/checks.ts'
import { keyBoundIn } from '../../semantic-credentials/presentations/envelopes.ts'
import { subjectIdsOf } from '../../semantic-credentials/presentations/holder.ts'

/**
 * Fails where keys of several controllers have signed a W3C presentation: a holder could choose among names that it makes
 * up for itself, and be a new one each time.
 */
export function signersCheck(presentation: Json): Check[] {
  const signers = new Set(proofsOf(presentation).map(({ proof }) => signerOf(proof)))
  return signers.size > 1
    ? [failed('holder', 'Several have signed the presentation. Only its holder may sign it.', '/proof')]
    : []
}

/**
 * The key that stands for the subject of a credential in a verified presentation, as a JWK: where the credential names no
 * subject, its key binding proves the holder, and whoever signed the presentation is anybody. Else undefined.
 */
export const boundKeyOf = (presentation: Json, credential: Json): Json | undefined =>
  keyBoundIn(presentation).has(credential) && subjectIdsOf(credential).length === 0 ? holderKey(credential) : undefined
