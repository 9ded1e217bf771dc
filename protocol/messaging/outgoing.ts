import { createHash } from 'node:crypto'
import { Refusal, withPaths } from '../errors.ts'
import { parseForeignJson } from '../json.depth.ts'
import { MAX_VALUES } from '../json.strict.ts'
import { isObject, type Json } from '../json.ts'
import { checkMessage, type DidcommMessage, invalidMessage, MEDIA_TYPES } from './didcomm.message.ts'
import { checkClosed } from './jwe.decrypt.ts'
import { type GeneralJwe, generalOf, readJwe } from './jwe.form.ts'
import { toGeneral } from './jwe.shape.ts'

/** A message on its way to a service elsewhere. */
export interface MessageSubject {
  tenantId: string
  /** Of the row of the message. */
  sentId: string
}

/** What a caller sends: a message in clear, which is to be encrypted, or an envelope that somebody has encrypted. */
export type Outgoing = { message: DidcommMessage } | { envelope: GeneralJwe }

/** Basic Message 2.0 has a text; a value of JSON has no protocol of its own. */
const TEXT_TYPE = 'https://didcomm.org/basicmessage/2.0/message'
const JSON_TYPE = 'urn:countersign:messages/json/1.0/message'

const isDidcomm = (value: unknown): value is Json =>
  isObject(value) && value.id !== undefined && value.type !== undefined && value.body !== undefined

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+){3}$/

const isEnvelope = (value: unknown): boolean =>
  typeof value === 'string'
    ? COMPACT.test(value) || (value.trimStart().startsWith('{') && value.includes('"ciphertext"'))
    : isObject(value) && value.ciphertext !== undefined && value.protected !== undefined

/** An envelope in the names of RFC 7516. Throws `Refusal('jwe.undecryptable')`. */
export function envelopeOf(value: unknown): GeneralJwe {
  const general = toGeneral(generalOf(value))
  readJwe(general)
  const { unprotected, aad } = general
  const recipients = general.recipients.map(({ header, encrypted_key }) => ({ header, encrypted_key }))
  const { protected: header, iv, ciphertext, tag } = general
  const members = { protected: header, recipients, iv, ciphertext, tag }
  return {
    ...members,
    ...(unprotected !== undefined && { unprotected }),
    ...(aad !== undefined && { aad }),
  } as GeneralJwe
}

/** The DID URLs of the keys that an envelope names. */
export const kidsOf = (envelope: GeneralJwe): string[] => {
  const { recipients } = readJwe(envelope as GeneralJwe & Json & { recipients: Json[] })
  return recipients.flatMap(({ joint: { kid } }) => (typeof kid === 'string' ? [kid] : []))
}

const cannotOpen = (code: string, message: string): Refusal =>
  new Refusal('message.envelope_invalid', 'The message is a JWE that cannot be sent; see errors.', [
    { path: 'message', code, message },
  ])

function checkedEnvelope(value: unknown, did: string): GeneralJwe {
  try {
    const envelope = envelopeOf(value)
    checkClosed(readJwe(envelope as GeneralJwe & Json & { recipients: Json[] }))
    if (kidsOf(envelope).some((kid) => kid.startsWith(`${did}#`))) return envelope
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw cannotOpen('jwe', 'expected a JWE as encryptCredentials makes it (RFC 7516)')
  }
  throw cannotOpen('recipient', 'expected a JWE for a key of the DID in to')
}

/** Checks a message that has the members of DIDComm v2, and that it is for the DID. */
function checkedMessage(value: Json, did: string, now: Date): DidcommMessage {
  try {
    const message = checkMessage(value, { now })
    if (message.to !== undefined && !message.to.includes(did)) throw invalidMessage('the DID in to', 'to')
    // it may be absent (DIDComm v2, Message Headers), and there are readers that need it
    return { typ: MEDIA_TYPES.plain, ...message }
  } catch (error) {
    throw withPaths(error, (path) => (path === '' ? 'message' : `message.${path}`))
  }
}

/** Reads what a caller sends to a DID. `id` is of a message that has none. Throws `message.*`, `didcomm.*`. */
export function readOutgoing(value: unknown, { did, id, now }: { did: string; id: string; now: Date }): Outgoing {
  if (isEnvelope(value)) return { envelope: checkedEnvelope(value, did) }
  if (isDidcomm(value)) return { message: checkedMessage(value, did, now) }
  const type = typeof value === 'string' ? TEXT_TYPE : JSON_TYPE
  const common = { id, typ: MEDIA_TYPES.plain, type, to: [did] }
  return { message: { ...common, created_time: Math.floor(now.getTime() / 1000), body: { content: value } } }
}

/**
 * What makes a repeated message the same one (D-390): its id from one sender, of whom we have a proof. Of an anonymous one
 * the content is part of it, so that nobody occupies the id of somebody else's message.
 */
export function messageKey(message: DidcommMessage, sender?: string): string {
  if (sender !== undefined) return `from ${sender} ${message.id}`
  return `anonymous ${message.id} ${createHash('sha256').update(JSON.stringify(message)).digest('hex')}`
}

/** The same of an envelope that stays closed. */
export const envelopeKey = (envelope: GeneralJwe): string =>
  `envelope ${createHash('sha256').update(JSON.stringify(envelope)).digest('hex')}`

/** Whether an opened content is a DIDComm message, for which its rules hold, or one more envelope of it. */
export function isDidcommContent(plaintext: Uint8Array): boolean {
  try {
    const content = parseForeignJson(plaintext, { code: 'didcomm.invalid', maxDepth: 64, maxValues: MAX_VALUES })
    if (!isObject(content)) return false
    const { id, type, ciphertext, payload, signatures, signature } = content
    const isSigned = payload !== undefined && (signatures ?? signature) !== undefined
    return (id !== undefined && type !== undefined) || ciphertext !== undefined || isSigned
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
