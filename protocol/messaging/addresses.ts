import { absoluteId, type DidDocument, type DidService, parseDidUrl } from '../dids/index.ts'
import { isObject, listOf } from '../json.ts'

/** Names that wallets and agents give to the service that takes their messages. */
const TYPES = new Set(['DIDCommMessaging', 'MessagingService', 'did-communication', 'DIDComm'])

const PROFILE = 'didcomm/v2'

/**
 * The address of an endpoint that takes a message as it is: https, DIDComm v2 where it says what it accepts, and no
 * mediator that wants an envelope of its own (DIDComm v2, Service Endpoint).
 */
function addressOf(endpoint: unknown): string | undefined {
  const { uri, accept, routingKeys } = isObject(endpoint) ? endpoint : { uri: endpoint }
  if (typeof uri !== 'string' || !uri.startsWith('https://')) return undefined
  if (accept !== undefined && !listOf(accept).includes(PROFILE)) return undefined
  return listOf(routingKeys ?? []).length > 0 ? undefined : uri
}

const isMessaging = ({ type }: DidService): boolean => listOf(type).some((name) => TYPES.has(String(name)))

/** The service that the fragment of a DID URL names. */
const namedService = (document: DidDocument, didUrl: string): DidService | undefined =>
  parseDidUrl(didUrl).fragment === undefined
    ? undefined
    : document.service?.find(({ id }) => absoluteId(document.id, id) === didUrl)

/**
 * Where messages to a DID URL are posted: the service that its fragment names, or else the document's first service that
 * takes messages; undefined if there is none. `keysOf` is the DID URL whose keys it is encrypted to: of a service, the
 * DID's.
 */
export function messagePlace(document: DidDocument, didUrl: string): { url: string | undefined; keysOf: string } {
  const named = namedService(document, didUrl)
  const services = named ? [named] : (document.service ?? [])
  const addresses = services.filter(isMessaging).flatMap(({ serviceEndpoint }) => listOf(serviceEndpoint))
  const url = addresses.map(addressOf).find((address) => address !== undefined)
  return { url, keysOf: named ? parseDidUrl(didUrl).did : didUrl }
}

/** The service of a DID of ours that is registered with an inbox. */
export const inboxService = (did: string, publicUrl: string): DidService => ({
  id: `${did}#messages`,
  type: 'DIDCommMessaging',
  serviceEndpoint: { uri: new URL('/didcomm', publicUrl).href, accept: [PROFILE] },
})
