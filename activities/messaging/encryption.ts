import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { type PublicJwk, parseDidUrl, toJwk } from '../../protocol/dids/index.ts'
import { type FieldError, Refusal, within } from '../../protocol/errors.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe, type Recipient } from '../../protocol/messaging/jwe.encrypt.ts'
import { MAX_RECIPIENTS } from '../../protocol/messaging/jwe.form.ts'
import { type SpecifiedJwe, toSpecified } from '../../protocol/messaging/jwe.shape.ts'
import { contentOf, payloadOf, type RefusePayload } from '../../protocol/messaging/payload.ts'
import { chooseCurve, MAX_KID, recipientsOf, senderKeyIn } from '../../protocol/messaging/recipients.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Agreer, Agreers } from '../dids/agreers.ts'
import type { DidResolver } from '../dids/resolver.ts'
import { refuseJweSender } from './refusals.ts'

export interface EncryptionRequest {
  payload: unknown
  recipientDidUrls: string[]
  /** Without one the message is anonymous. */
  senderDidUrl?: string | null | undefined
}

export interface DecryptedMessage {
  payload: unknown
  /** The key of ours that opened it, and the row of its DID. */
  recipientDidUrl: string
  didId: string
  /** The key that made it; undefined for an anonymous one. */
  sender?: { didUrl: string; publicJwk: PublicJwk }
}

/** Its JWE, in base64url and with a hundred recipients, is no larger than the body of a request to decrypt it. */
export const MAX_PAYLOAD_BYTES = 512 * 1024

/** DIDs of one request that are resolved at the same time. */
const AT_ONCE = 20

const FIELD = 'recipientDidUrls'

const refuseRecipients = (errors: FieldError[]): Refusal =>
  new Refusal('jwe.recipients_invalid', 'The payload cannot be encrypted for these recipients; see errors.', errors)

const fault = (index: number, code: string, message: string): FieldError => ({
  path: within(FIELD, index),
  code,
  message,
})

function isKeyOrDid(didUrl: string): boolean {
  if (didUrl.length > MAX_KID) return false
  try {
    const { path, query, fragment } = parseDidUrl(didUrl)
    return path === '' && query === '' && fragment !== ''
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Checks what needs no look elsewhere. */
function checkDidUrls(didUrls: string[]): void {
  if (didUrls.length === 0 || didUrls.length > MAX_RECIPIENTS)
    throw refuseRecipients([{ path: FIELD, code: 'count', message: `expected 1 to ${MAX_RECIPIENTS} DID URLs` }])
  const seen = new Map<string, number>()
  const errors = didUrls.flatMap((didUrl, index) => {
    const first = seen.get(didUrl)
    if (first !== undefined)
      return [fault(index, 'repeated', `expected each recipient once: ${within(FIELD, first)} is the same`)]
    seen.set(didUrl, index)
    return isKeyOrDid(didUrl)
      ? []
      : [
          fault(
            index,
            'did_url',
            `expected a DID, or did:<method>:<identifier>#<key>, of at most ${MAX_KID} characters`,
          ),
        ]
  })
  if (errors.length > 0) throw refuseRecipients(errors)
}

/** All keys of the recipients, each once: a JWE names its recipients by them. */
function joined(recipients: Recipient[][]): Recipient[] {
  const owners = new Map<string, number>()
  const keys: Recipient[] = []
  for (const [index, own] of recipients.entries())
    for (const recipient of own) {
      const owner = owners.get(recipient.kid)
      if (owner !== undefined)
        throw refuseRecipients([
          fault(index, 'repeated', `expected each key once: ${within(FIELD, owner)} is encrypted to it as well`),
        ])
      owners.set(recipient.kid, index)
      keys.push(recipient)
      if (keys.length > MAX_RECIPIENTS)
        throw refuseRecipients([
          fault(index, 'count', `expected DIDs with at most ${MAX_RECIPIENTS} keys together; name one key of each DID`),
        ])
    }
  return keys
}

function plaintextOf(payload: unknown) {
  const content = contentOf(payload)
  if (content.bytes.length <= MAX_PAYLOAD_BYTES) return content
  throw new Refusal('jwe.payload_too_large', 'The payload is too large to be encrypted.', [
    { path: 'payload', code: 'size', message: `expected at most ${MAX_PAYLOAD_BYTES / 1024} KiB of JSON or text` },
  ])
}

const refusePayload: RefusePayload = (rule, what, expected) => {
  throw new Refusal('jwe.payload_unreadable', `The JWE was decrypted, but ${what}.`, [
    { path: 'jwe', code: rule, message: expected },
  ])
}

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  agreers: Pick<Agreers, 'agreersFor' | 'agreersOf'>
  didResolver: Pick<DidResolver, 'documentFor'>
}

/** Encryption of messages by DID URL (specification, encryptCredentials and decryptCredentials). */
export function createMessageEncryption({ config, now, agreers, didResolver }: Parts) {
  const clock = () => ({ now: now(), toleranceMs: config.clockToleranceMs })

  async function keysOf(tenantId: string, didUrl: string, index: number): Promise<Recipient[] | FieldError> {
    try {
      const document = await didResolver.documentFor(tenantId, parseDidUrl(didUrl).did)
      const keys = recipientsOf(document, didUrl, clock())
      if (keys.length > 0) return keys
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return fault(index, 'unresolvable', `expected a DID that resolves. ${error.message}`)
    }
    return fault(
      index,
      'no_key',
      'expected a key of X25519, P-256, P-384 or P-521 that the DID document lists under keyAgreement',
    )
  }

  async function keysOfAll(tenantId: string, didUrls: string[]): Promise<Recipient[][]> {
    const limited = pLimit(AT_ONCE)
    const found = await Promise.all(didUrls.map((didUrl, index) => limited(() => keysOf(tenantId, didUrl, index))))
    const errors = found.flatMap((each) => (Array.isArray(each) ? [] : [each]))
    if (errors.length > 0) throw refuseRecipients(errors)
    return found.flatMap((each) => (Array.isArray(each) ? [each] : []))
  }

  return {
    /**
     * Encrypts a payload for the keys of DIDs: from a DID of the tenant, or from nobody. Throws `jwe.sender_*`,
     * `jwe.recipients_invalid`, `jwe.payload_too_large`.
     */
    async encryptMessage(
      tenantId: string,
      { payload, recipientDidUrls, senderDidUrl }: EncryptionRequest,
    ): Promise<{ jwe: SpecifiedJwe; sender?: Pick<Agreer, 'didId'> }> {
      checkDidUrls(recipientDidUrls)
      const { cty, bytes: plaintext } = plaintextOf(payload)
      const isAnonymous = senderDidUrl === undefined || senderDidUrl === null
      const senders = isAnonymous ? undefined : await agreers.agreersFor(tenantId, senderDidUrl, refuseJweSender)
      const found = await keysOfAll(tenantId, recipientDidUrls)
      const choice = chooseCurve(found, senders && [...new Set(senders.map(({ keyType }) => keyType))])
      if ('unfit' in choice) {
        const expected = `expected a key of ${choice.keyTypes.join(' or ')} under keyAgreement, as the sender and the recipients before it have`
        throw refuseRecipients([fault(choice.unfit, 'curve', expected)])
      }
      const recipients = joined(choice.recipients)
      const sender = senders?.find(({ keyType }) => keyType === choice.keyType)
      const jwe = toSpecified(await encryptJwe({ plaintext, cty, recipients, sender, random: randomBytes }))
      return { jwe, ...(sender && { sender }) }
    },

    /**
     * Decrypts a JWE for a DID of the tenant. Throws `jwe.undecryptable` for every reason alike, and
     * `jwe.payload_unreadable` for what was decrypted and is no text.
     */
    async decryptMessage(tenantId: string, jwe: unknown): Promise<DecryptedMessage> {
      const owners = new Map<string, string>()
      const { plaintext, header, kid, sender } = await decryptJwe(jwe, {
        async agreementsOf(kids) {
          const found = await agreers.agreersOf(tenantId, kids)
          for (const each of found) owners.set(each.kid, each.didId)
          return found
        },
        senderKeyOf: (skid) => senderKeyIn((did) => didResolver.documentFor(tenantId, did), skid, clock()),
      })
      const didId = owners.get(kid)
      if (didId === undefined) throw new Error('a JWE was opened with a key that is not ours')
      return {
        didId,
        payload: payloadOf({ header, payload: plaintext }, refusePayload),
        recipientDidUrl: kid,
        ...(sender && { sender: { didUrl: sender.kid, publicJwk: toJwk(sender.key) } }),
      }
    },
  }
}

export type MessageEncryption = ReturnType<typeof createMessageEncryption>
