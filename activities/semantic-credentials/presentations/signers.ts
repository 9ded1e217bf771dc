import { Refusal } from '../../../protocol/errors.ts'
import type { RefuseSigner } from '../../dids/signers.ts'
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
