import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { type AgreementKey, isAgreementKey } from '../dids/agreement.ts'
import { fromJwk, type PublicJwk } from '../dids/index.ts'
import { Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { contentAlgorithm } from './jwe.content.ts'
import { bytesOf, generalOf, hidden, MAX_PLAINTEXT_BYTES, type ReadJwe, readJwe, undecryptable } from './jwe.form.ts'
import { concatKdf, unwrapKey } from './jwe.keys.ts'
import { toGeneral } from './jwe.shape.ts'
import { MAX_KID } from './recipients.ts'

const inflate = promisify(inflateRaw)

/** A key of ours that agrees where it is kept. */
export interface Agreement {
  kid: string
  keyType: string
  /** Returns the shared secret; throws a `Refusal` for a peer key that agrees on none. */
  agree(peer: AgreementKey): Promise<Uint8Array>
}

export interface Opener {
  /** Returns our keys among those that the JWE names; none where it is not for us. */
  agreementsOf(kids: string[]): Promise<Agreement[]>
  /** Returns the public key of a sender, which its DID document lists under keyAgreement. Throws a `Refusal`. */
  senderKeyOf(skid: string): Promise<AgreementKey>
}

export interface Decrypted {
  plaintext: Uint8Array
  /** The protected header. */
  header: Json
  alg: string
  enc: string
  /** The key that opened it. */
  kid: string
  /** Keys of all recipients. */
  kids: string[]
  /** Undefined for an anonymous JWE. */
  sender?: { kid: string; key: AgreementKey }
}

/** Key management algorithms: bytes of the key that wraps the content key, none where the derived key is that key. */
const ALGORITHMS: Record<string, { wrapBytes: number | undefined; authenticates: boolean }> = {
  'ECDH-1PU+A256KW': { wrapBytes: 32, authenticates: true },
  'ECDH-ES+A256KW': { wrapBytes: 32, authenticates: false },
  'ECDH-ES+A192KW': { wrapBytes: 24, authenticates: false },
  'ECDH-ES+A128KW': { wrapBytes: 16, authenticates: false },
  'ECDH-ES': { wrapBytes: undefined, authenticates: false },
}

/** Keys that the recipients name; a recipient without one is somebody else's. */
function kidsOf({ recipients }: ReadJwe): string[] {
  const kids = recipients.flatMap(({ joint: { kid } }) =>
    typeof kid === 'string' && kid.length <= MAX_KID ? [kid] : [],
  )
  if (new Set(kids).size < kids.length) throw undecryptable('a recipient twice')
  return kids
}

function algorithmOf({ alg }: Json) {
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined
  if (typeof alg !== 'string' || algorithm === undefined) throw undecryptable('alg is not supported')
  return { alg, ...algorithm }
}

/** A point that is not on its curve is refused here. */
function ephemeralOf({ epk }: Json): AgreementKey {
  if (!isObject(epk) || typeof epk.kty !== 'string' || (epk.crv !== undefined && typeof epk.crv !== 'string'))
    throw undecryptable('epk is no public key')
  const key = hidden('epk is no valid public key', () => fromJwk(epk as PublicJwk))
  if (!isAgreementKey(key)) throw undecryptable('epk is no key of key agreement')
  return key
}

const infoOf = (value: unknown, name: string): Uint8Array =>
  value === undefined ? new Uint8Array() : bytesOf(value, name, 2 * MAX_KID)

/** The sender's key id: `skid`, or else `apu` (DIDComm v2, ECDH-1PU key wrapping and common protected headers). */
function senderOf(joint: Json): string {
  const skid = joint.skid ?? Buffer.from(infoOf(joint.apu, 'apu')).toString()
  if (typeof skid !== 'string' || skid === '' || skid.length > MAX_KID) throw undecryptable('no sender')
  return skid
}

/** The secret of an agreement; what a key store or a peer's key refuses is one more reason of the one refusal. */
async function agreed(agreement: Agreement, peer: AgreementKey): Promise<Uint8Array> {
  if (peer.keyType !== agreement.keyType) throw undecryptable('the keys are of two curves')
  const secret = await agreement.agree(peer).catch((error: unknown) => {
    throw error instanceof Refusal ? undecryptable('no agreement', error) : error
  })
  if (secret.every((byte) => byte === 0)) throw undecryptable('an all-zero secret')
  return secret
}

type Target = ReadJwe['recipients'][number] & { agreement: Agreement; sender: AgreementKey | undefined }

/** The content key; undefined where it was not wrapped for these keys. */
async function contentKeyOf(jwe: ReadJwe, target: Target): Promise<Uint8Array | undefined> {
  const { joint, encryptedKey, agreement, sender } = target
  const { alg, wrapBytes } = algorithmOf(joint)
  const content = contentAlgorithm(jwe.enc)
  const epk = ephemeralOf(joint)
  const apu = infoOf(joint.apu, 'apu')
  const apv = infoOf(joint.apv, 'apv')
  const secrets: Uint8Array[] = []
  try {
    secrets.push(await agreed(agreement, epk))
    if (sender) secrets.push(await agreed(agreement, sender))
    const secret = Buffer.concat(secrets)
    const keyBytes = wrapBytes ?? content.keyBytes
    const algorithm = wrapBytes === undefined ? jwe.enc : alg
    const key = concatKdf({ secret, keyBytes, algorithm, apu, apv, ...(sender && { tag: jwe.tag }) })
    secret.fill(0)
    if (wrapBytes === undefined) return encryptedKey.length === 0 ? key : undefined
    const contentKey = unwrapKey(key, encryptedKey)
    key.fill(0)
    return contentKey?.length === content.keyBytes ? contentKey : undefined
  } finally {
    for (const bytes of secrets) bytes.fill(0)
  }
}

async function decompressed(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await inflate(bytes, { maxOutputLength: MAX_PLAINTEXT_BYTES })
  } catch (error) {
    throw undecryptable('what was compressed is damaged or too long', error)
  }
}

async function opened(jwe: ReadJwe, target: Target): Promise<Uint8Array | undefined> {
  const content = contentAlgorithm(jwe.enc)
  const contentKey = await contentKeyOf(jwe, target)
  if (!contentKey) return undefined
  const plaintext = content.open(contentKey, jwe.iv, jwe, jwe.additionalData)
  contentKey.fill(0)
  return plaintext
}

function checkLengths({ enc, iv, tag, ciphertext }: ReadJwe): void {
  const content = contentAlgorithm(enc)
  if (iv.length !== content.ivBytes || tag.length !== content.tagBytes)
    throw undecryptable('iv or tag is of another length than enc has')
  if (ciphertext.length > MAX_PLAINTEXT_BYTES + 64) throw undecryptable('too long')
}

/** The algorithm of one recipient, with what it demands of the whole JWE. */
function checkedAlgorithm({ enc, recipients }: ReadJwe, joint: Json) {
  const algorithm = algorithmOf(joint)
  if (algorithm.authenticates && !contentAlgorithm(enc).isCommitting)
    throw undecryptable('ECDH-1PU needs AES_CBC_HMAC_SHA2')
  if (algorithm.wrapBytes === undefined && recipients.length > 1) throw undecryptable('ECDH-ES has one recipient')
  return algorithm
}

/** Checks what shows without a key: lengths, algorithms, and each recipient once. Throws the one refusal. */
export function checkClosed(jwe: ReadJwe): void {
  checkLengths(jwe)
  kidsOf(jwe)
  for (const { joint } of jwe.recipients) checkedAlgorithm(jwe, joint)
}

/**
 * Opens a JWE in any serialization, also in the specification's shape, with the first key of ours that fits: ECDH-ES
 * (RFC 7518, section 4.6) or ECDH-1PU with key wrapping (draft-madden-jose-ecdh-1pu-04). Throws
 * `Refusal('jwe.undecryptable')` for each reason alike, `Unavailable` where the key store is away.
 */
export async function decryptJwe(input: unknown, opener: Opener): Promise<Decrypted> {
  const jwe = readJwe(toGeneral(generalOf(input)))
  checkLengths(jwe)
  const kids = kidsOf(jwe)
  const agreements = await opener.agreementsOf(kids)
  for (const recipient of jwe.recipients) {
    const agreement = agreements.find(({ kid }) => kid === recipient.joint.kid)
    if (!agreement) continue
    const { alg, authenticates } = checkedAlgorithm(jwe, recipient.joint)
    const skid = authenticates ? senderOf(recipient.joint) : undefined
    const senderKey = skid === undefined ? undefined : await senderKeyOf(opener, skid)
    const plaintext = await opened(jwe, { ...recipient, agreement, sender: senderKey })
    if (!plaintext) continue
    return {
      plaintext: jwe.header.zip === undefined ? plaintext : await decompressed(plaintext),
      header: jwe.header,
      alg,
      enc: jwe.enc,
      kid: agreement.kid,
      kids,
      ...(skid !== undefined && senderKey && { sender: { kid: skid, key: senderKey } }),
    }
  }
  throw undecryptable(agreements.length === 0 ? 'not for us' : 'no key of ours opens it')
}

const senderKeyOf = (opener: Opener, skid: string): Promise<AgreementKey> =>
  opener.senderKeyOf(skid).catch((error: unknown) => {
    throw error instanceof Refusal ? undecryptable('the sender has no such key', error) : error
  })
