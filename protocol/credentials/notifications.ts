import type { JwsHeader } from '../jws.ts'

/** The message to a holder: ids and a status, no claims. Times are milliseconds since 1970. */
export interface StatusMessage {
  id: string
  type: string
  /** One recipient per message: no holder learns of another. */
  to: [string]
  from: string
  created_time: number
  body: { revocationListCredential: string; revocationListIndex: number; isRevoked: boolean }
}

const STATUS_MESSAGE = 'https://mattr.global/schemas/credential/revocation-status'

/** The entry of a published status list that a credential names. */
export interface NamedEntry {
  listUrl: string
  index: number
}

export function statusMessage(
  { listUrl, index }: NamedEntry,
  { id, from, to, now, isRevoked }: { id: string; from: string; to: string; now: Date; isRevoked: boolean },
): StatusMessage {
  return {
    id,
    type: STATUS_MESSAGE,
    to: [to],
    from,
    created_time: now.getTime(),
    body: { revocationListCredential: listUrl, revocationListIndex: index, isRevoked },
  }
}

/**
 * The same in the form of DIDComm v2, for an encrypted message: its type has a protocol and a version (DIDComm v2, Message
 * Type URI). `createdAt`: milliseconds since 1970.
 */
export const statusContent = ({ id, created_time: createdAt, body }: StatusMessage) => ({
  id,
  type: 'urn:countersign:credentials/revocation-status/1.0/status',
  createdAt,
  body,
})

/** Header of the signed message for a holder without a key to encrypt to; `kid` is the DID URL of the key. */
export const messageHeader = (alg: JwsHeader['alg'], kid: string): JwsHeader => ({ alg, typ: 'JWM', kid })
