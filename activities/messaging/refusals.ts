import { Refusal } from '../../protocol/errors.ts'
import type { RefuseAgreer } from '../dids/agreers.ts'
import type { RefuseSigner } from '../dids/signers.ts'
import { hostLost, keysAbsent } from '../dids/standing.ts'

export const inboxNotFound = () => new Refusal('inbox.not_found', 'There is no such inbox.')

export const messageNotFound = () => new Refusal('message.not_found', 'There is no such message in this inbox.')

export const didNotRegistered = () =>
  new Refusal('inbox.did_not_registered', 'This DID is not registered with this inbox.')

/** Makes refusals of a DID URL that is to sign, `jws.signer_*`; `field` is the field of the request that names it. */
export const refuseJwsSigner =
  (field: string): RefuseSigner =>
  (fault) => {
    const refusal = (code: string, message: string) =>
      new Refusal(code, message, [{ path: field, code: 'did_url', message: fault.expected }])
    switch (fault.kind) {
      case 'host_lost':
        return hostLost(fault.host, field)
      case 'keys_absent':
        return keysAbsent(field)
      case 'unknown':
      case 'deleted':
      case 'not_chosen':
        return refusal('jws.signer_unknown', 'The DID URL is not of a DID of this tenant.')
      case 'not_ready':
        return refusal(
          'jws.signer_not_ready',
          'The registration of the DID is not COMPLETED: its signatures could not be verified yet.',
        )
      case 'key_unfit':
        return refusal('jws.signer_key_unfit', 'The key of the DID URL cannot sign a message; see errors.')
    }
  }

/** The recipient cannot be reached by an encrypted message, whatever the message is. */
export const cannotSend = (code: string, message: string, expected: string, cause?: Error) =>
  new Refusal(
    'message.cannot_send',
    `The message cannot be sent: ${message}`,
    [{ path: 'to', code, message: expected }],
    cause && { cause },
  )

/** Makes refusals of the DID in `from` of a message. */
export const refuseFrom: RefuseAgreer = (fault) => {
  if (fault.kind === 'host_lost') return hostLost(fault.host, 'message.from')
  const { kind, expected } = fault
  const message =
    kind === 'not_ready'
      ? 'The registration of the DID in from is not COMPLETED.'
      : kind === 'no_key' || kind === 'custody'
        ? 'The DID in from has no key that can encrypt.'
        : 'The DID in from is not a DID of this tenant.'
  return new Refusal('message.sender_unfit', message, [{ path: 'message.from', code: kind, message: expected }])
}

/** The sender that an inbox would show as proved cannot prove it to anybody (D-493). */
export const senderUnpublished = () =>
  new Refusal('message.sender_unfit', 'The document of the DID in from does not resolve to a key of this tenant.', [
    { path: 'message.from', code: 'unpublished', message: 'expected a DID whose document is that of resolveDID' },
  ])

/** Refusals of a DID URL whose key is to encrypt, `jwe.sender_*`. */
export const refuseJweSender: RefuseAgreer = (fault) => {
  if (fault.kind === 'host_lost') return hostLost(fault.host, 'senderDidUrl')
  const { kind, expected } = fault
  const refusal = (code: string, message: string) =>
    new Refusal(code, message, [{ path: 'senderDidUrl', code: 'did_url', message: expected }])
  switch (kind) {
    case 'unknown':
    case 'deleted':
      return refusal('jwe.sender_unknown', 'The senderDidUrl is not of a DID of this tenant.')
    case 'not_ready':
      return refusal(
        'jwe.sender_not_ready',
        'The registration of the sender is not COMPLETED: nobody could open its messages yet.',
      )
    case 'no_key':
      return refusal(
        'jwe.sender_key_unfit',
        'The document of the sender has no such key under keyAgreement; see errors.',
      )
    case 'custody':
      return refusal(
        'jwe.sender_key_unfit',
        'The key of the sender stays in the key store, which cannot encrypt with it; see errors.',
      )
  }
}
