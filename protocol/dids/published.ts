import { Refusal } from '../errors.ts'
import type { Clock } from '../time.ts'
import { absoluteId, type DidDocument, publicKeyOf, RELATIONSHIPS, type VerificationMethod } from './index.ts'
import { toMultibase } from './keys.ts'
import { usableMethod } from './usable.ts'

const keyText = (method: VerificationMethod): string => toMultibase(publicKeyOf(method))

/** Throws what `usableMethod` and `publicKeyOf` throw: a document of others has no such method, or a malformed key. */
function isSame(
  found: ReturnType<typeof usableMethod>,
  own: VerificationMethod, // its type is what the suites that sign with it name
): boolean {
  return !found.fault && found.method.type === own.type && keyText(found.method) === keyText(own)
}

/**
 * Whether verifiers find each method of our document in the published one: under the same id, with the same type and key,
 * controlled by the DID, neither revoked nor expired, and for the same relationships. How it is written there, by a
 * relative id or within a relationship, is as free as DID Core 1.0 leaves it.
 */
export function publishes(published: DidDocument, own: DidDocument, clock: Clock): boolean {
  const methods = new Map((own.verificationMethod ?? []).map((method) => [absoluteId(own.id, method.id), method]))
  return RELATIONSHIPS.every((relationship) =>
    (own[relationship] ?? []).every((use) => {
      const id = absoluteId(own.id, typeof use === 'string' ? use : use.id)
      const method = typeof use === 'string' ? methods.get(id) : use
      if (!method) throw new Error(`our own document has no method ${id}`)
      try {
        return isSame(usableMethod(published, id, relationship, clock), method)
      } catch (error) {
        if (error instanceof Refusal) return false
        throw error
      }
    }),
  )
}
