import type { ProblemTable } from '../frame/openapi/document.ts'

/** Inboxes, their DIDs and messages, and signatures and encryption by DID URL. */
export const MESSAGING_PROBLEMS: ProblemTable = {
  400: {
    'didcomm.not_encrypted': {
      meaning: 'The body is not an encrypted DIDComm message.',
      remedy: 'Encrypt the message to a keyAgreement key of the recipient, as a JWE in a JSON serialization.',
    },
    'message.cannot_send': {
      meaning:
        'The recipient cannot be reached by an encrypted message: errors says whether its DID does not resolve, or has no service or no key for it.',
      remedy:
        'The controller of the DID adds a key under keyAgreement and a DIDCommMessaging service to its document, or registers the DID with an inbox of the platform.',
    },
    'message.envelope_invalid': {
      meaning: 'The message is a JWE that the recipient could not open.',
      remedy: 'Send a JWE that encryptCredentials has made for the DID in to, unchanged.',
    },
    'message.sender_unfit': {
      meaning: 'The DID in from of the message cannot prove the sender.',
      remedy: 'Name a DID of getDIDsList that is COMPLETED and has a key under keyAgreement, or send without from.',
    },
    'inbox.did_not_ready': {
      meaning: "The registration of the tenant's DID has not completed.",
      remedy:
        'Read the DID with resolveDID until its registrationStatus is COMPLETED; waiting and failureReason say what is missing.',
    },
    'inbox.jwt_invalid': {
      meaning: 'The jwt does not prove the control of the DID; errors names the broken rule.',
      remedy:
        'The controller of the DID signs a JWT with a key for authentication: kid is the DID URL of the key, iss the DID, aud the id of the inbox, exp at most 24 hours ahead.',
    },
    'inbox.jwt_required': {
      meaning: 'The DID is not one of the tenant, and the request has no jwt.',
      remedy: 'Name a DID of getDIDsList, or send a JWT that the DID has signed for this inbox.',
    },
    'inbox.jwt_used': {
      meaning: 'The jwt has registered a DID before.',
      remedy: 'The controller of the DID signs a new JWT: each registers once.',
    },
    'jwe.payload_unreadable': {
      meaning: 'The JWE was decrypted, but its payload is neither text nor the JSON that its cty promises.',
      remedy: 'Its sender encrypts JSON with exact numbers and each name once, or text in UTF-8.',
    },
    'jwe.recipients_invalid': {
      meaning:
        'A recipient is no DID URL, stands there twice, does not resolve, or has no key of key agreement that fits the others; errors names each by its place.',
      remedy:
        'Correct or leave out the recipients that errors names. Recipients of different curves get a message each.',
    },
    'jwe.sender_key_unfit': {
      meaning:
        'The sender has no key that encrypts: its document lists none under keyAgreement, or the key is of a type with which the key store cannot agree, as Ed25519 and P-256 in Vault.',
      remedy: 'Name a did:web of the tenant, or a did:key that was created with keyType x25519.',
    },
    'jwe.sender_not_ready': {
      meaning: 'The registration of the DID that is to send has not completed.',
      remedy: 'Read the DID with resolveDID until its registrationStatus is COMPLETED.',
    },
    'jwe.sender_unknown': {
      meaning: 'The DID that is to send is not a DID of this tenant.',
      remedy: 'Name a DID of getDIDsList, or leave senderDidUrl out for an anonymous message.',
    },
    'jws.invalid': {
      meaning: 'The text is no compact JWS of a DID; errors names the broken rule.',
      remedy:
        'Send header, payload and signature in base64url, joined by dots, with alg EdDSA, Ed25519, ES256 or ES384, kid as the DID URL of the key, and without crit.',
    },
    'jws.signer_key_unfit': {
      meaning: 'The key of the DID URL is of a type that cannot sign a JWS.',
      remedy: 'Name one of the DID URLs in errors, or create a DID with an ed25519 or p256 key.',
    },
    'jws.signer_key_unknown': {
      meaning: 'The document of the DID has no key under this DID URL.',
      remedy: 'Name one of the DID URLs in errors; resolveDID shows all of them as didDocumentKeyId.',
    },
    'jws.signer_not_ready': {
      meaning: 'The registration of the DID that is to sign has not completed.',
      remedy: 'Read the DID with resolveDID until its registrationStatus is COMPLETED.',
    },
    'jws.signer_unknown': {
      meaning: 'The DID that is to sign is not a DID of this tenant.',
      remedy: 'Name a key of a DID of getDIDsList: its metadata has the DID URLs as didDocumentKeyId.',
    },
  },
  404: {
    'inbox.did_not_registered': {
      meaning: 'The DID is not registered with this inbox.',
      remedy: 'Take the DID from getInboxDIDs. The registration of a deleted DID has ended with it.',
    },
    'inbox.not_found': {
      meaning: 'The tenant has no such inbox.',
      remedy: 'Take the id from getListOfInboxes, with a token of the tenant that created the inbox.',
    },
    'message.not_found': {
      meaning: 'The inbox has no such message.',
      remedy: 'Take the id from getListOfMessages of this inbox.',
    },
  },
  409: {
    'inbox.did_registered_elsewhere': {
      meaning: 'The DID is registered with another inbox of the tenant.',
      remedy: 'End that registration with unregisterDID, then register the DID again.',
    },
    'inbox.full': {
      meaning: 'The inbox of the recipient is full: it has 10,000 messages, or 16 MiB of them.',
      remedy: 'The owner of the inbox reads and deletes messages with deleteMessage; then send the message again.',
    },
    'inbox.too_many': {
      meaning: 'The tenant has as many inboxes as it can have.',
      remedy: 'Delete an inbox with deleteInbox, then create the other one.',
    },
    'inbox.too_many_dids': {
      meaning: 'The inbox has as many DIDs as it can have.',
      remedy: 'Register the DID with another inbox.',
    },
  },
  429: {
    'message.too_many': {
      meaning: 'The tenant has sent too many messages to one host, or too many of its messages wait to be delivered.',
      remedy: 'Send the message again after the seconds in Retry-After; an operator sets MESSAGE_LIMIT_PER_HOUR.',
    },
  },
  413: {
    'jwe.payload_too_large': {
      meaning: 'The payload is too large to be encrypted.',
      remedy: 'Send at most 512 KiB of JSON or text.',
    },
    'message.too_large': {
      meaning: 'The message is larger than an inbox takes.',
      remedy: 'Send a message of at most 256 KiB.',
    },
  },
}
