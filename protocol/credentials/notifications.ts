import type { DidDocument } from '../dids/index.ts'
import { isObject, listOf } from '../json.ts'
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

const MESSAGING = new Set(['DIDCommMessaging', 'MessagingService', 'did-communication', 'DIDComm'])

const uriOf = (endpoint: unknown): string | undefined => {
  const [first] = listOf(endpoint)
  const uri = isObject(first) ? first.uri : first
  return typeof uri === 'string' && uri.startsWith('https://') ? uri : undefined
}

/** The https URL of a DID's message service (DIDComm Messaging 2.1, Service Endpoint); undefined if it has none. */
export function messageEndpoint({ service = [] }: DidDocument): string | undefined {
  const messaging = service.filter(({ type }) => listOf(type).some((name) => MESSAGING.has(String(name))))
  return messaging.map(({ serviceEndpoint }) => uriOf(serviceEndpoint)).find((uri) => uri !== undefined)
}

/** Header of the signed message; `kid` is the DID URL of the key. */
export const messageHeader = (alg: JwsHeader['alg'], kid: string): JwsHeader => ({ alg, typ: 'JWM', kid })
