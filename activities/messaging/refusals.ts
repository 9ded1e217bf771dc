import { type FieldError, Refusal } from '../../protocol/errors.ts'
import type { RefuseSigner } from '../dids/signers.ts'

export const inboxNotFound = () => new Refusal('inbox.not_found', 'There is no such inbox.')

export const messageNotFound = () => new Refusal('message.not_found', 'There is no such message in this inbox.')

export const didNotRegistered = () =>
  new Refusal('inbox.did_not_registered', 'This DID is not registered with this inbox.')

const SIGNER_CODES = {
  unknown: 'unknown',
  deleted: 'unknown',
  not_ready: 'not_ready',
  key_unfit: 'key_unfit',
  not_chosen: 'unknown',
} as const

const SIGNER_FAULTS = {
  unknown: 'The DID URL is not of a DID of this tenant.',
  not_ready: 'The registration of the DID is not COMPLETED: its signatures could not be verified yet.',
  key_unfit: 'The key of the DID URL cannot sign a message; see errors.',
} as const

/** Makes refusals of a DID URL that is to sign, `jws.signer_*`; `field` is the field of the request that names it. */
export const refuseJwsSigner =
  (field: string): RefuseSigner =>
  ({ kind, expected }) => {
    const code = SIGNER_CODES[kind]
    const errors: FieldError[] = [{ path: field, code: 'did', message: expected }]
    return new Refusal(`jws.signer_${code}`, SIGNER_FAULTS[code], errors)
  }
