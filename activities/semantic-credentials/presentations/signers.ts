import { keyFor, type ProofType, type Signer } from '../../../protocol/data-integrity/index.ts'
import { Refusal, withArticle } from '../../../protocol/errors.ts'
import {
  ENVELOPE_KEYS,
  isPresentationEnvelopeType,
  type PresentationEnvelopeType,
} from '../../../protocol/semantic-credentials/proof-types.ts'
import type { DidSigner, NeededKey, RefuseSigner } from '../../dids/signers.ts'
import { hostLost, keysAbsent } from '../../dids/standing.ts'

/**
 * Makes refusals of a verifier's or holder's DID, `presentation.signer_*`; `field` is the request's field that names
 * it.
 */
export const refusePresenter =
  (field: string): RefuseSigner =>
  (fault) => {
    const refusal = (code: string, message: string) =>
      new Refusal(code, message, [{ path: field, code: 'did', message: fault.expected }])
    switch (fault.kind) {
      case 'unknown':
      case 'deleted':
        return refusal('presentation.signer_unknown', 'The DID does not belong to this tenant.')
      case 'not_ready':
        return refusal(
          'presentation.signer_not_ready',
          'The registration of the DID is not COMPLETED: its signatures could not be verified yet.',
        )
      case 'host_lost':
        return hostLost(fault.host, field)
      case 'keys_absent':
        return keysAbsent(field)
      case 'not_chosen':
        return refusal('presentation.signer_not_chosen', `The request names no DID: ${fault.why}`)
      case 'key_unfit':
        return refusal('presentation.signer_key_unfit', 'The DID has no key of a type that fits; see errors.')
    }
  }

/**
 * Returns the holder's signer with the first key that fits a proof type, or with the key that the DID URL `method` names.
 * A proof has that key's URL in the form that its type needs, an envelope the named one (D-858). Throws
 * `presentation.signer_key_unfit`.
 */
export function presenterKey(
  holder: DidSigner,
  proofType: ProofType | PresentationEnvelopeType,
  { method, field }: { method: string | undefined; field: string },
): Signer {
  const isEnvelope = isPresentationEnvelopeType(proofType)
  const needed: NeededKey = isEnvelope ? { keyTypes: ENVELOPE_KEYS, neededBy: proofType } : keyFor(proofType)
  if (method === undefined) return holder.withKey(needed)
  const { keyTypes } = needed
  const named = holder.methodsOf(keyTypes).includes(method) ? holder.withMethod(method) : undefined
  if (!named) {
    const expected = `expected the DID URL of ${withArticle(keyTypes.join(' or '))} key of the DID`
    throw refusePresenter(field)({ kind: 'key_unfit', keyTypes, neededBy: proofType, expected })
  }
  return isEnvelope ? named : holder.withKey({ ...needed, keyTypes: [named.keyType] })
}
