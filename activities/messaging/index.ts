import type { Dependencies } from '../dependencies.ts'
import type { Agreers } from '../dids/agreers.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { Signers } from '../dids/signers.ts'
import type { DidStanding } from '../dids/standing.ts'
import type { Frame } from '../frame/index.ts'
import { createSealer } from '../frame/sealing.ts'
import { createMessageDelivery } from './deliver.ts'
import { createMessageEncryption } from './encryption.ts'
import { createHolderMessages } from './holders.ts'
import { createInboxes } from './inboxes.ts'
import { createMessageSignatures } from './jws.ts'
import { createMessages } from './messages.ts'
import { createMessagePosting } from './posting.ts'
import { createReceiving } from './receiving.ts'
import { createRegistrations } from './registrations.ts'
import { createRoutes } from './routes.ts'
import { createSending } from './sending.ts'

interface Parts extends Frame {
  didResolver: DidResolver
  didStanding: DidStanding
  agreers: Agreers
  signers: Signers
}

const sentSealerOf = ({ masterKey }: Dependencies['config']) => createSealer(masterKey, 'sent-messages')

/**
 * Operations of inboxes and messages, of signatures and encryption by DID URL; `holderMessages` is for areas that send
 * messages of their own.
 */
export function composeMessaging(known: Parts) {
  const messageSealer = createSealer(known.config.masterKey, 'inbox-messages')
  const parts = { ...known, messageSealer, sentSealer: sentSealerOf(known.config) }
  const messageDelivery = createMessageDelivery(parts)
  const receiving = createReceiving({ ...parts, messageDelivery })
  const routes = createRoutes({ ...parts, messageDelivery })
  return {
    inboxes: createInboxes(parts),
    inboxDids: createRegistrations(parts),
    messages: createMessages(parts),
    messageDelivery,
    receiving,
    sending: createSending({ ...parts, routes, receiving }),
    holderMessages: createHolderMessages({ ...parts, routes }),
    messageSignatures: createMessageSignatures(parts),
    messageEncryption: createMessageEncryption(parts),
  }
}

/** Activities of the workflows of messages. */
export const messagingActivities = (parts: Dependencies & Pick<Frame, 'turns'>) =>
  createMessagePosting({ ...parts, sentSealer: sentSealerOf(parts.config) })
