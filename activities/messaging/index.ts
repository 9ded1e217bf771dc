import type { Agreers } from '../dids/agreers.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { Signers } from '../dids/signers.ts'
import type { Frame } from '../frame/index.ts'
import { createSealer } from '../frame/sealing.ts'
import { createMessageDelivery } from './deliver.ts'
import { createMessageEncryption } from './encryption.ts'
import { createInboxes } from './inboxes.ts'
import { createMessageSignatures } from './jws.ts'
import { createMessages } from './messages.ts'
import { createRegistrations } from './registrations.ts'

interface Parts extends Frame {
  didResolver: DidResolver
  signers: Signers
  agreers: Agreers
}

/** Operations of inboxes, messages and signatures and encryption by DID URL; `messageDelivery` is for what receives messages. */
export function composeMessaging(known: Parts) {
  const messageSealer = createSealer(known.config.masterKey, 'inbox-messages')
  const parts = { ...known, messageSealer }
  return {
    inboxes: createInboxes(parts),
    inboxDids: createRegistrations(parts),
    messages: createMessages(parts),
    messageDelivery: createMessageDelivery(parts),
    messageSignatures: createMessageSignatures(parts),
    messageEncryption: createMessageEncryption(parts),
  }
}
