const read = 'messaging:read'
const write = 'messaging:write'
const category = 'messaging'

/** Operations of inboxes, messages and signatures by DID URL, as protocol/operations.ts describes them. */
export const MESSAGING_OPERATIONS = {
  getListOfInboxes: { scope: read, name: 'MESSAGING_INBOX_RETRIEVE_LIST', category },
  createInbox: { scope: write, name: 'MESSAGING_INBOX_CREATE', category, changes: true },
  getInbox: { scope: read, name: 'MESSAGING_INBOX_RETRIEVE', category },
  updateInbox: { scope: write, name: 'MESSAGING_INBOX_UPDATE', category, changes: true },
  deleteInbox: { scope: write, name: 'MESSAGING_INBOX_DELETE', category, changes: true },
  getInboxDIDs: { scope: read, name: 'MESSAGING_INBOX_DID_RETRIEVE_LIST', category },
  registerDID: { scope: write, name: 'MESSAGING_INBOX_DID_REGISTER', category, changes: true },
  unregisterDID: { scope: write, name: 'MESSAGING_INBOX_DID_UNREGISTER', category, changes: true },
  getListOfMessages: { scope: read, name: 'MESSAGING_INBOX_MESSAGE_RETRIEVE_LIST', category },
  getMessage: { scope: read, name: 'MESSAGING_INBOX_MESSAGE_RETRIEVE', category },
  deleteMessage: { scope: write, name: 'MESSAGING_INBOX_MESSAGE_DELETE', category, changes: true },
  sendMessage: { scope: write, name: 'MESSAGING_SEND', category, changes: true },
  signCredential: { scope: write, name: 'MESSAGING_SIGN', category },
  verifyCredential: { scope: read, name: 'MESSAGING_VERIFY', category },
  encryptCredentials: { scope: write, name: 'MESSAGING_ENCRYPT', category },
  decryptCredentials: { scope: read, name: 'MESSAGING_DECRYPT', category },
} as const
