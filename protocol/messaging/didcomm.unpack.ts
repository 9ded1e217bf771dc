import { type DidDocument, parseDidUrl } from '../dids/index.ts'
import { parseForeignJson } from '../json.depth.ts'
import { MAX_VALUES } from '../json.strict.ts'
import { isObject, type Json } from '../json.ts'
import type { Clock } from '../time.ts'
import { checkMessage, type DidcommMessage, invalidMessage, isMediaType, MEDIA_TYPES } from './didcomm.message.ts'
import { verifyMessage } from './didcomm.signed.ts'
import { type Decrypted, decryptJwe, type Opener } from './jwe.decrypt.ts'
import { recipientsInfo, senderInfo } from './jwe.encrypt.ts'
import { undecryptable } from './jwe.form.ts'

export interface UnpackParts extends Opener, Clock {
  resolve(did: string): Promise<DidDocument>
}

export interface Unpacked {
  message: DidcommMessage
  /** The layers around the message, outermost first. */
  layers: Layer[]
  /** The key of ours that opened the innermost encryption. */
  recipientKid?: string
  /** Key of the sender, proved by authcrypt to us alone. */
  senderKid?: string
  /** Key of the sender, proved by its signature to everybody. */
  signerKid?: string
}

type Layer = 'anoncrypt' | 'authcrypt' | 'signed'

/**
 * What DIDComm v2 has around a message for one hop (IANA Media Types), which bounds the depth as well. The last one is in
 * its examples (appendix C.3), though no sender should make it (D-382).
 */
const ENVELOPES = new Set([
  '',
  'signed',
  'anoncrypt',
  'authcrypt',
  'anoncrypt signed',
  'authcrypt signed',
  'anoncrypt authcrypt',
  'anoncrypt authcrypt signed',
])

const MAX_DEPTH = 64
const MAX_TEXT = 2 * 1024 * 1024

const parsed = (bytes: Uint8Array): unknown =>
  parseForeignJson(bytes, { code: 'didcomm.invalid', maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })

/** What DIDComm v2 demands of a JWE beyond RFC 7516: `apv` names all recipients, and `apu` the sender. */
function checkEncryption({ header, kids, sender }: Decrypted): void {
  if (header.apv !== recipientsInfo(kids)) throw undecryptable('apv is not of the recipients')
  if (header.epk === undefined || header.alg === undefined) throw undecryptable('epk or alg is not protected')
  if (sender && header.apu !== senderInfo(sender.kid)) throw undecryptable('apu is not of the sender')
  if (header.typ !== undefined && !isMediaType(header.typ, MEDIA_TYPES.encrypted))
    throw undecryptable('typ is not of an encrypted message')
  // the keys of one DID: a copy for another one is another JWE
  if (new Set(kids.map((kid) => kid.split('#')[0])).size > 1) throw undecryptable('recipients of two DIDs')
}

const didOf = (kid: string): string => parseDidUrl(kid).did

/** DIDComm v2, Message Layer Addressing Consistency. */
function checkAddresses({ message, layers, recipientKid, senderKid, signerKid }: Unpacked): void {
  const { from, to } = message
  if (senderKid !== undefined && from !== didOf(senderKid)) throw invalidMessage('the DID of skid', 'from')
  if (signerKid !== undefined && from !== didOf(signerKid))
    throw invalidMessage('the DID of the signature’s kid', 'from')
  if (recipientKid === undefined) return
  // a signature that names no recipient could be encrypted again for anybody
  if (layers.includes('signed') && to === undefined) throw invalidMessage('the recipients of a signed message', 'to')
  if (to !== undefined && !to.includes(didOf(recipientKid))) throw invalidMessage('the DID of the recipient', 'to')
}

/** Reads the outermost envelope of text or of an object. */
function outermost(packed: unknown): Json {
  const content = typeof packed === 'string' && packed.length <= MAX_TEXT ? parsed(Buffer.from(packed)) : packed
  if (!isObject(content)) throw invalidMessage('a DIDComm message: a JSON object, or its text')
  return content
}

/**
 * Opens the envelopes of a DIDComm v2 message and checks that they agree with each other. Throws
 * `Refusal('jwe.undecryptable')` for an encryption that does not open, `Refusal('didcomm.invalid')` or
 * `Refusal('didcomm.expired')` for a message that breaks a rule: who answers to strangers gives one answer to all.
 */
export async function unpackMessage(packed: unknown, parts: UnpackParts): Promise<Unpacked> {
  const layers: Layer[] = []
  const enter = (layer: Layer) => {
    layers.push(layer)
    if (!ENVELOPES.has(layers.join(' '))) throw invalidMessage('envelopes that DIDComm v2 allows')
  }
  const keys: Pick<Unpacked, 'recipientKid' | 'senderKid' | 'signerKid'> = {}
  let content = outermost(packed)
  for (;;) {
    if (content.ciphertext !== undefined) {
      const decrypted = await decryptJwe(content, parts)
      checkEncryption(decrypted)
      enter(decrypted.sender ? 'authcrypt' : 'anoncrypt')
      keys.recipientKid = decrypted.kid
      if (decrypted.sender) keys.senderKid = decrypted.sender.kid
      content = outermost(parsed(decrypted.plaintext))
    } else if (content.payload !== undefined && (content.signatures ?? content.signature) !== undefined) {
      enter('signed')
      const { payload, kid } = await verifyMessage(content, parts.resolve, parts)
      keys.signerKid = kid
      content = outermost(parsed(payload))
    } else break
  }
  const unpacked: Unpacked = { message: checkMessage(content, parts), layers, ...keys }
  checkAddresses(unpacked)
  return unpacked
}
