/** Entries in the log of a tenant that no request of the tenant began. */
export const RECEIVED = { name: 'MESSAGING_INBOX_MESSAGE_RECEIVE', category: 'messaging' } as const

export const MESSAGING_ENTRIES = [RECEIVED]
