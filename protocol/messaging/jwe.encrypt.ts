import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AgreementKey } from '../dids/agreement.ts'
import { toJwk } from '../dids/index.ts'
import { type ContentName, contentAlgorithm } from './jwe.content.ts'
import { type GeneralJwe, MAX_RECIPIENTS } from './jwe.form.ts'
import { concatKdf, ephemeralKey, type Random, wrapKey } from './jwe.keys.ts'

/** A public key that a JWE is encrypted to, and the DID URL that names it. */
export interface Recipient {
  kid: string
  key: AgreementKey
}

/** The static key of a sender, which agrees where it is kept. */
export interface Sender {
  kid: string
  keyType: string
  /** Returns the shared secret of the sender's private key and a public key of the same curve. */
  agree(peer: AgreementKey): Promise<Uint8Array>
}

export interface Encryption {
  plaintext: Uint8Array
  /** 1 to 100, all keys of one curve (DIDComm v2, ECDH-1PU key wrapping and common protected headers). */
  recipients: Recipient[]
  /** With a sender the JWE proves it by ECDH-1PU; without one it is anonymous, by ECDH-ES. */
  sender?: Sender | undefined
  /** Of an anonymous JWE, by default as with a sender: A256CBC-HS512 (draft-madden-jose-ecdh-1pu-04, section 2.1). */
  enc?: 'A256CBC-HS512' | 'A256GCM' | 'XC20P' | undefined
  typ?: string
  /** Type of the plaintext. */
  cty?: string
  random: Random
}

/** What every reader of anoncrypt and authcrypt has (DIDComm v2, Content Encryption Algorithms); a DID document names none. */
const REQUIRED = 'A256CBC-HS512'

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

/** `apv` of the recipients (DIDComm v2, ECDH-1PU key wrapping and common protected headers). */
export const recipientsInfo = (kids: string[]): string =>
  createHash('sha256').update(kids.toSorted().join('.')).digest('base64url')

/** `apu` of the sender (ibid.). */
export const senderInfo = (kid: string): string => base64url(kid)

/**
 * Encrypts to many recipients as DIDComm v2 does: one ephemeral key, its parameters in the protected header, and the
 * content key wrapped for each recipient by ECDH-1PU+A256KW (draft-madden-jose-ecdh-1pu-04) or ECDH-ES+A256KW.
 */
export async function encryptJwe(encryption: Encryption): Promise<GeneralJwe> {
  const { plaintext, recipients, sender, typ, cty, random } = encryption
  const [first] = recipients
  if (!first || recipients.length > MAX_RECIPIENTS) throw new Error('a JWE has 1 to 100 recipients')
  if (sender && sender.keyType !== first.key.keyType) throw new Error('sender and recipients need keys of one curve')
  const enc: ContentName = sender ? REQUIRED : (encryption.enc ?? REQUIRED)
  const alg = sender ? 'ECDH-1PU+A256KW' : 'ECDH-ES+A256KW'
  const ephemeral = ephemeralKey(first.key.keyType, random)
  const apv = recipientsInfo(recipients.map(({ kid }) => kid))
  const producer = sender ? { skid: sender.kid, apu: senderInfo(sender.kid) } : {}
  const types = { ...(typ !== undefined && { typ }), ...(cty !== undefined && { cty }) }
  const header = { ...types, alg, enc, epk: toJwk(ephemeral.publicKey), ...producer, apv }
  const protectedText = base64url(JSON.stringify(header))

  const content = contentAlgorithm(enc)
  const contentKey = random(content.keyBytes)
  const iv = random(content.ivBytes)
  const { ciphertext, tag } = content.seal(contentKey, iv, plaintext, Buffer.from(protectedText))

  const info = { keyBytes: 32, algorithm: alg, apu: Buffer.from(producer.apu ?? '', 'base64url') }
  const wrapFor = async ({ key }: Recipient): Promise<string> => {
    const secrets = [ephemeral.agree(key)]
    try {
      if (sender) secrets.push(await sender.agree(key))
      const secret = Buffer.concat(secrets)
      const kdf = { ...info, secret, apv: Buffer.from(apv, 'base64url'), ...(sender && { tag }) }
      const wrappingKey = concatKdf(kdf)
      const wrapped = base64url(wrapKey(wrappingKey, contentKey))
      for (const bytes of [secret, wrappingKey]) bytes.fill(0)
      return wrapped
    } finally {
      for (const bytes of secrets) bytes.fill(0)
    }
  }

  const wrapped: GeneralJwe['recipients'] = []
  try {
    for (const recipient of recipients) {
      wrapped.push({ header: { kid: recipient.kid }, encrypted_key: await wrapFor(recipient) })
      await setImmediate() // a hundred agreements are no work for one turn of the event loop
    }
  } finally {
    ephemeral.wipe()
    contentKey.fill(0)
  }
  return {
    protected: protectedText,
    recipients: wrapped,
    iv: base64url(iv),
    ciphertext: base64url(ciphertext),
    tag: base64url(tag),
  }
}
