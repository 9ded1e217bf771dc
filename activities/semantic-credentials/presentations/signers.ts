import { Refusal } from '../../../protocol/errors.ts'
import type { RefuseSigner, SignerFault } from '../../dids/signers.ts'

const signerFault = ({ kind }: SignerFault): [code: string, message: string] => {
  switch (kind) {
    case 'unknown':
    case 'deleted':
      return ['presentation.signer_unknown', 'The DID is not one of this tenant.']
    case 'not_ready':
      return [
        'presentation.signer_not_ready',
        'The registration of the DID has not completed: nobody could verify what it signs.',
      ]
    case 'key_unfit':
      return ['presentation.signer_key_unfit', 'The DID holds no key of the type that is needed.']
  }
}

/** Makes refusals of a DID that asks or presents, `presentation.signer_*`; `field` is where the request names it. */
export const refusePresenter =
  (field: string): RefuseSigner =>
  (fault) => {
    const [code, message] = signerFault(fault)
    return new Refusal(code, message, [{ path: field, code: 'did', message: fault.expected }])
  }
