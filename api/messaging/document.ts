import type { MESSAGING_OPERATIONS } from '../../protocol/messaging/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ISSUER } from '../frame/openapi/examples.ts'
import { ref } from '../frame/openapi/json.ts'
import { LABEL_PATTERN } from '../frame/openapi/patterns.ts'
import { DECRYPTED, ENCRYPTED, ENVELOPE, INBOX, MESSAGE, SIGNED } from './examples.ts'
import { MESSAGING_PROBLEMS } from './problems.ts'

const { jws, ...signed } = SIGNED

const ONE = { limit: 20, totalCount: 1, totalPages: 1 }

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const MESSAGING_DOCUMENT: AreaDocument<keyof typeof MESSAGING_OPERATIONS | 'receiveMessage'> = {
  examples: {
    createInbox: { name: INBOX.name },
    updateInbox: { name: 'Registrar' },
    registerDID: { did: ISSUER },
    sendMessage: { to: ISSUER, message: 'The exam has moved to 9:30.' },
    receiveMessage: ENVELOPE,
    signCredential: { didUrl: SIGNED.didUrl, payload: SIGNED.payload },
    verifyCredential: { jws },
    encryptCredentials: { payload: SIGNED.payload, recipientDidUrls: [ISSUER], senderDidUrl: ISSUER },
    decryptCredentials: { jwe: JSON.stringify(ENCRYPTED.jwe) },
  },
  answers: {
    getListOfInboxes: { inboxes: [INBOX], ...ONE },
    getInboxDIDs: { dids: [{ did: ISSUER, registeredAt: MESSAGE.createdAt }], ...ONE },
    registerDID: { did: ISSUER },
    getListOfMessages: { messages: [MESSAGE], ...ONE },
    getMessage: MESSAGE,
    sendMessage: {},
    signCredential: SIGNED,
    verifyCredential: signed,
    encryptCredentials: ENCRYPTED,
    decryptCredentials: DECRYPTED,
  },
  located: ['createInbox'],
  notFound: { '/v1/messaging/inboxes/{id}': 'inbox.not_found' },
  refusals: {
    createInbox: { 409: 'inbox.too_many' },
    registerDID: { 400: 'inbox.jwt_invalid', 409: 'inbox.did_registered_elsewhere' },
    sendMessage: { 400: 'message.cannot_send', 409: 'inbox.full', 413: 'message.too_large' },
    receiveMessage: { 400: 'didcomm.not_encrypted' },
    signCredential: { 400: 'jws.signer_unknown' },
    verifyCredential: { 400: 'jws.invalid' },
    encryptCredentials: { 400: 'jwe.recipients_invalid', 413: 'jwe.payload_too_large' },
    decryptCredentials: { 400: 'jwe.undecryptable' },
  },
  parameters: { unregisterDID: { did: ref('Did') } },
  schemas: {
    InboxName: {
      type: 'string',
      description: 'One line, for people; something of it can be seen.',
      pattern: LABEL_PATTERN,
      minLength: 1,
      maxLength: 255,
      example: INBOX.name,
    },
    KeyDidUrl: {
      type: 'string',
      description: 'The DID URL of a key: a DID, and the fragment that names the key in its document.',
      pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]#[A-Za-z0-9._~-]+$',
      maxLength: 2048,
      example: SIGNED.didUrl,
    },
    RecipientDidUrl: {
      type: 'string',
      description: 'A DID, for all its keys of key agreement, or the DID URL of one of them.',
      pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-](#[A-Za-z0-9._~-]+)?$',
      maxLength: 2048,
      example: SIGNED.did,
    },
    RecipientDidUrls: {
      type: 'array',
      description: '1 to 100 recipients, each once.',
      items: ref('RecipientDidUrl'),
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
    },
    CompactJws: {
      type: 'string',
      description: 'A JWS in the compact serialization (RFC 7515, section 7.1).',
      pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
      example: jws,
    },
  },
  problems: [MESSAGING_PROBLEMS],
}
