import { type AgreementKey, type AgreementKeyType, isAgreementKey, isSound } from '../dids/agreement.ts'
import { absoluteId, type DidDocument, parseDidUrl, publicKeyOf } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { Refusal } from '../errors.ts'
import type { Clock } from '../time.ts'
import type { Recipient } from './jwe.encrypt.ts'

/** Best first: the curve of every wallet, then those that DIDComm v2 demands. */
const CURVES: readonly AgreementKeyType[] = ['x25519', 'p384', 'p256', 'p521']

/** A DID document may list many keys; a message goes to these at most. */
const MAX_KEYS = 10

/** Keys that are looked at: each may cost the decoding of a point. */
const MAX_LOOKED_AT = 20

/** Of the DID URL of a key; also what `decryptJwe` reads. */
export const MAX_KID = 2048

/**
 * The key of an id; undefined for one of another curve, one that is not understood, one that agrees with nobody, and one
 * that the document has ended: whoever may have a lost key must read nothing.
 */
function keyOf(document: DidDocument, kid: string, clock: Clock): Recipient | undefined {
  if (kid.length > MAX_KID) return undefined
  try {
    const { method, fault } = usableMethod(document, kid, 'keyAgreement', clock)
    const key = publicKeyOf(method)
    return !fault && isAgreementKey(key) && isSound(key) ? { kid, key } : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined // the document may have other keys that fit
    throw error
  }
}

/**
 * The keys of a document that a message to a DID URL is encrypted to: the one of its fragment, or all under
 * keyAgreement, which its subject authorises. Empty where there is none.
 */
export function recipientsOf(document: DidDocument, didUrl: string, clock: Clock): Recipient[] {
  const { fragment } = parseDidUrl(didUrl)
  const ids = (document.keyAgreement ?? []).map((entry) =>
    absoluteId(document.id, typeof entry === 'string' ? entry : entry.id),
  )
  const wanted = fragment === undefined ? [...new Set(ids)].slice(0, MAX_LOOKED_AT) : [didUrl]
  return wanted.flatMap((kid) => keyOf(document, kid, clock) ?? []).slice(0, MAX_KEYS)
}

/** One curve for all: an ephemeral key agrees with keys of its own curve alone. */
export type Choice =
  | { keyType: AgreementKeyType; recipients: Recipient[][] }
  /** The first that has no key of the curve that the others have. */
  | { unfit: number; keyTypes: AgreementKeyType[] }

/**
 * Chooses the curve that every recipient has a key of, and the sender too where `senderTypes` are given (best first).
 */
export function chooseCurve(recipients: Recipient[][], senderTypes: readonly AgreementKeyType[] = CURVES): Choice {
  const fits = (keys: Recipient[], keyType: AgreementKeyType) => keys.some(({ key }) => key.keyType === keyType)
  let unfit = -1
  let keyTypes: AgreementKeyType[] = [...senderTypes]
  for (const keys of recipients) {
    unfit += 1
    const common = keyTypes.filter((keyType) => fits(keys, keyType))
    if (common.length === 0) return { unfit, keyTypes }
    keyTypes = common
  }
  const [keyType] = keyTypes
  if (keyType === undefined) return { unfit: 0, keyTypes: [] }
  return { keyType, recipients: recipients.map((keys) => keys.filter(({ key }) => key.keyType === keyType)) }
}

/**
 * The public key of a sender, for an `Opener`: of the DID document that `resolve` finds, and authorised for keyAgreement.
 * Throws a `Refusal`.
 */
export async function senderKeyIn(
  resolve: (did: string) => Promise<DidDocument>,
  skid: string,
  clock: Clock,
): Promise<AgreementKey> {
  const { did, fragment } = parseDidUrl(skid)
  const [sender] = fragment === undefined ? [] : recipientsOf(await resolve(did), skid, clock)
  if (!sender)
    throw new Refusal('did.method_not_found', 'The DID document of the sender has no such key agreement key.')
  return sender.key
}
