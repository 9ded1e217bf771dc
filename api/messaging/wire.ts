import type { MessageVerdict } from '../../activities/messaging/jws.ts'
import type { Count, DateTime, Did, JsonObject, Uuid } from '../frame/wire.ts'

/** One line of 1 to 255 characters, for people. */
export type InboxName = string

/** Any JSON value, or a text. */
export type MessagePayload = unknown

/** A DID URL with a fragment, which names one key in the document of a DID. */
export type KeyDidUrl = string

/** A DID, for all its keys of key agreement, or the DID URL of one of them; of `to` also that of a service. */
export type RecipientDidUrl = string

/**
 * A DIDComm v2 message (with `id`, `type` and `body`), a JWE of encryptCredentials for a key of the recipient, or any other
 * value, which becomes the `content` in the body of a message.
 */
export type MessageContent = unknown

/** A JWE in a JSON serialization (RFC 7516, section 7.2). */
export type EncryptedMessage = JsonObject

/** A JWS in the compact serialization (RFC 7515, section 7.1). */
export type CompactJws = string

/** A public JSON Web Key (RFC 7517). */
export interface PublicJwkOut {
  kty: string
  crv?: string
  x?: string
  y?: string
}

export interface InboxIn {
  name: InboxName
}

export interface InboxOut {
  id: Uuid
  name: string
}

export interface InboxPageOut {
  inboxes: InboxOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface InboxDidIn {
  did: Did
  /**
   * Proves the control of a DID that is not one of the tenant's: a JWT that a key of the DID has signed, with `kid` as DID
   * URL of the key, `iss` as the DID, `aud` as the id of the inbox, and `exp` within 24 hours. It registers once.
   */
  jwt?: string | null
}

export interface InboxDidOut {
  did: Did
}

export interface RegisteredDidOut {
  did: Did
  registeredAt: DateTime
}

export interface InboxDidPageOut {
  dids: RegisteredDidOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface MessageOut {
  id: Uuid
  inboxId: Uuid
  /** The message as it came. */
  payload: string
  createdAt: DateTime
}

export interface MessagePageOut {
  messages: MessageOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface SendIn {
  to: RecipientDidUrl
  message: MessageContent
}

export interface MessageSignIn {
  /** A key of a DID of the tenant, Ed25519 or P-256. */
  didUrl: KeyDidUrl
  payload: MessagePayload
}

export interface MessageSignOut {
  did: Did
  didUrl: KeyDidUrl
  payload: MessagePayload
  signerPublicJwk: PublicJwkOut
  verified: boolean
  /** The payload with its signature. */
  jws: CompactJws
}

export interface MessageVerifyIn {
  jws: CompactJws
}

export interface SignatureErrorOut {
  /**
   * DidUnresolvable: the DID of kid does not resolve. KeyNotFound: its document does not have the key. KeyNotAuthorized: the
   * document has the key for neither authentication nor assertionMethod, or has ended it (expires, revoked). KeyUnfit: alg
   * is not an algorithm of the key. SignatureInvalid: the key has not made this signature.
   */
  type: 'DidUnresolvable' | 'KeyNotFound' | 'KeyNotAuthorized' | 'KeyUnfit' | 'SignatureInvalid'
  /** For people. */
  message: string
}

export interface MessageVerifyOut {
  /** The signer, as kid names it. The verdict is only about this DID: compare it with the one that you expect. */
  did: Did
  didUrl: KeyDidUrl
  /** The payload, verified or not. */
  payload: MessagePayload
  /** Of the key that the DID document has under didUrl; absent where it was not found or does not fit alg. */
  signerPublicJwk?: PublicJwkOut
  verified: boolean
  /** Why verified is false. */
  error?: SignatureErrorOut
}

export const jwkToWire = ({ kty, crv, x, y }: NonNullable<MessageVerdict['publicJwk']>): PublicJwkOut => ({
  kty,
  ...(crv !== undefined && { crv }),
  ...(x !== undefined && { x }),
  ...(y !== undefined && { y }),
})

export const verdictToWire = ({
  did,
  didUrl,
  payload,
  publicJwk,
  verified,
  error,
}: MessageVerdict): MessageVerifyOut => ({
  did,
  didUrl,
  payload,
  ...(publicJwk && { signerPublicJwk: jwkToWire(publicJwk) }),
  verified,
  ...(error && { error }),
})

export const signedToWire = (
  signed: MessageVerdict & { jws: string; publicJwk: NonNullable<MessageVerdict['publicJwk']> },
): MessageSignOut => ({ ...verdictToWire(signed), signerPublicJwk: jwkToWire(signed.publicJwk), jws: signed.jws })
