import { type DidcommMessage, MEDIA_TYPES } from './didcomm.message.ts'
import type { GeneralJws } from './didcomm.signed.ts'
import { encryptJwe, type Recipient, type Sender } from './jwe.encrypt.ts'
import type { GeneralJwe } from './jwe.form.ts'
import type { Random } from './jwe.keys.ts'

export interface Packing {
  /** A plaintext message, or a signed one. */
  message: DidcommMessage | GeneralJws
  /** The keys of one DID, of one curve (DIDComm v2, Message Encryption). */
  recipients: Recipient[]
  /** Proves the sender to the recipient alone (authcrypt); without it the sender is anonymous (anoncrypt). */
  sender?: Sender
  /** Hides the sender's key from everybody but the recipient: anoncrypt around authcrypt. */
  protectSender?: boolean
  random: Random
}

/** Encrypts a message for the keys of one DID (DIDComm v2, Message Encryption). */
export async function packEncrypted({
  message,
  recipients,
  sender,
  protectSender,
  random,
}: Packing): Promise<GeneralJwe> {
  const common = { recipients, typ: MEDIA_TYPES.encrypted, random }
  const inner = await encryptJwe({ ...common, sender, plaintext: Buffer.from(JSON.stringify(message)) })
  if (!sender || !protectSender) return inner
  return encryptJwe({ ...common, plaintext: Buffer.from(JSON.stringify(inner)) })
}
