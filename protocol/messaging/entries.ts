import type { MESSAGING_OPERATIONS } from './operations.ts'

const category: (typeof MESSAGING_OPERATIONS)['sendMessage']['category'] = 'messaging'

/** A message came into an inbox. */
export const MESSAGE_RECEIVED_ENTRY = { name: 'MESSAGING_INBOX_MESSAGE_RECEIVE', category } as const

/** A registration has ended, because the document of the DID no longer has the key that proved its control. */
export const DID_END_ENTRY = { name: 'MESSAGING_INBOX_DID_END', category } as const

/** The delivery of a message to a service elsewhere has ended. */
export const MESSAGE_DELIVERY_ENTRY = { name: 'MESSAGING_DELIVERY', category } as const

/** Entries of what no request of the tenant does itself. */
export const MESSAGING_ENTRIES = [MESSAGE_RECEIVED_ENTRY, DID_END_ENTRY, MESSAGE_DELIVERY_ENTRY] as const
