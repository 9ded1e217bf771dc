import type { DecryptedMessage } from '../../activities/messaging/encryption.ts'
import type { SpecifiedJwe } from '../../protocol/messaging/jwe.shape.ts'
import type { JsonObject } from '../frame/wire.ts'
import { jwkToWire, type KeyDidUrl, type MessagePayload, type PublicJwkOut, type RecipientDidUrl } from './wire.ts'

/** 1 to 100 recipients, each once. */
export type RecipientDidUrls = RecipientDidUrl[]

/** A JWE as text, in a JSON serialization or compact (RFC 7516, section 7), or as the object that encryptCredentials answers. */
export type JweText = string | JsonObject

export interface MessageEncryptIn {
  payload: MessagePayload
  /** DIDs of any tenant or host, which must have keys of one curve that the sender has as well. */
  recipientDidUrls: RecipientDidUrls
  /**
   * A DID of the tenant, or the DID URL of its key of key agreement: the recipients learn that it is the sender. Without
   * it the message is anonymous.
   */
  senderDidUrl?: string | null
}

export interface JweHeaderOut {
  alg: string
  /** The public key that was made for this message. */
  epk: PublicJwkOut
  /** The key of the recipient. */
  kid: KeyDidUrl
  /** The key of the sender; absent from an anonymous message. */
  skid?: KeyDidUrl
}

export interface JweRecipientOut {
  /** The key of the content, encrypted for this recipient. */
  encryptionKey: string
  /** alg, epk and skid repeat the protected header. */
  header: JweHeaderOut
}

export interface JweOut {
  ciphertext: string
  iv: string
  /** The protected header in base64url. */
  protected: string
  recipients: JweRecipientOut[]
  tag: string
}

export interface MessageEncryptOut {
  jwe: JweOut
}

export interface MessageDecryptIn {
  jwe: JweText
}

export interface MessageDecryptOut {
  payload: MessagePayload
  /** The key of the tenant that opened it. */
  recipientDidUrl: KeyDidUrl
  /** The key of the sender, proved to the recipients and to nobody else; absent for an anonymous message. */
  senderDidUrl?: KeyDidUrl
  senderPublicJwk?: PublicJwkOut
}

/** The headers are those that `encryptMessage` has made. */
export const jweToWire = (jwe: SpecifiedJwe): MessageEncryptOut => ({ jwe: jwe as SpecifiedJwe & JweOut })

export const decryptedToWire = ({ payload, recipientDidUrl, sender }: DecryptedMessage): MessageDecryptOut => ({
  payload,
  recipientDidUrl,
  ...(sender && { senderDidUrl: sender.didUrl, senderPublicJwk: jwkToWire(sender.publicJwk) }),
})
