import { verificationKey } from '../../data-integrity/keys.ts'
import { type DidDocument, parseDidUrl } from '../../dids/index.ts'
import { usableMethod } from '../../dids/usable.ts'
import { Refusal } from '../../errors.ts'
import type { KeyBindingSession } from '../../sd-jwt-credentials/key-binding.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../../time.ts'
import { foreseen, type Reason } from '../reasons.ts'
import type { Opened, OpenedEnvelope, OpenedPresentation } from './opened.ts'

interface SignatureRules extends Clock {
  /** Under which relationship the DID document must have the key. */
  purpose: 'assertionMethod' | 'authentication'
  /** The DID whose document has a key that the header names as a fragment; undefined: only a DID URL names a key. */
  controller: string | undefined
  /** Throws `Refusal` or `Unavailable('outbound')` when the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
}

/** What a verifier expects of the key binding of an SD-JWT. */
export interface ExpectedBinding {
  session: KeyBindingSession
  /** false: a credential without one is taken as well. */
  isRequired: boolean
}

interface EnvelopeRules extends Omit<SignatureRules, 'purpose' | 'controller'> {
  /** Id of the credential's issuer. */
  issuer: string
  /** false: the key may be of another DID than the issuer. */
  byIssuer: boolean
  /** false: the caller leaves the check of the dates out. */
  atItsTime: boolean
}

const because = (type: Reason['type'], code: string, message: string): Reason => ({
  type,
  code: `envelope.${code}`,
  message,
})

/** `nbf` and `exp` of the envelope count beside the dates of the credential. */
export function envelopeTimes({ notBefore, expires }: Opened, clock: Clock): Reason[] {
  const reasons: Reason[] = []
  if (notBefore !== undefined && isToCome(momentOfSeconds(notBefore), clock))
    reasons.push(because('NotYetValid', 'not_yet_valid', 'The envelope is not valid yet; see its nbf.'))
  if (expires !== undefined && hasCome(momentOfSeconds(expires), clock))
    reasons.push(because('Expired', 'expired', 'The envelope has expired; see its exp.'))
  return reasons
}

/** The DID URL of the key of an envelope; undefined where its header names none. */
export function keyUrl({ kid }: Pick<Opened, 'kid'>, controller: string | undefined): string | undefined {
  if (kid === undefined || kid === '' || kid.length > 2_048) return undefined
  if (kid.startsWith('did:')) return kid
  return controller === undefined ? undefined : `${controller}#${kid.replace(/^#/, '')}`
}

async function signature(opened: Opened, rules: SignatureRules): Promise<Reason[]> {
  const { purpose, controller, resolveDid } = rules
  const url = keyUrl(opened, controller)
  if (url === undefined) return [because('Proof', 'key_missing', 'The header of the envelope names no key (kid).')]
  const { method, fault: unusable } = usableMethod(await resolveDid(parseDidUrl(url).did), url, purpose, rules)
  if (unusable) return [because('Issuer', unusable.code, unusable.message)]
  const fault = opened.signatureFault(verificationKey(method))
  return fault === undefined ? [] : [{ type: 'Proof', ...fault }]
}

/** What is foreseen to go wrong with a key is a reason. Throws only errors of our own parts. */
async function signatureReasons(opened: Opened, rules: SignatureRules): Promise<Reason[]> {
  try {
    return await signature(opened, rules)
  } catch (error) {
    if (!foreseen(error)) throw error
    const code = error instanceof Refusal ? { code: error.code } : {}
    return [{ type: 'Issuer', ...code, message: error.message }]
  }
}

/**
 * Why a credential is not bound to its holder as the verifier expects. A key binding that nobody expects is none: it may
 * have been made for anybody. `opened`: undefined of a credential with a proof.
 */
export function bindingReasons(
  opened: OpenedEnvelope | undefined,
  expected: ExpectedBinding | undefined,
  clock: Clock,
) {
  const because = (message: string): Reason[] => [{ type: 'Proof', code: 'envelope.key_binding', message }]
  if (!opened?.keyBindingFault)
    return expected?.isRequired ? because('The credential has no key binding, and one is asked for.') : []
  if (!expected)
    return because('The SD-JWT has a key binding, and the request names no nonce and no audience to check it by.')
  const fault = opened.keyBindingFault(expected.session, clock)
  return fault ? because(fault.message) : []
}

/** Why the envelope does not secure its credential; an empty list if it does. Throws only errors of our own parts. */
export async function envelopeReasons(opened: OpenedEnvelope, rules: EnvelopeRules): Promise<Reason[]> {
  const { issuer, byIssuer, atItsTime } = rules
  const url = keyUrl(opened, issuer)
  const isOthers = byIssuer && url !== undefined && !url.startsWith(`${issuer}#`)
  const signed = isOthers
    ? [because('Issuer', 'key_of_another', `The envelope is not signed by the issuer ${issuer.slice(0, 200)}.`)]
    : await signatureReasons(opened, { ...rules, purpose: 'assertionMethod', controller: issuer })
  return [...signed, ...(atItsTime ? envelopeTimes(opened, rules) : [])]
}

/** Why the envelope does not prove who presents; an empty list if it does. Throws only errors of our own parts. */
export const presenterReasons = async (
  opened: OpenedPresentation,
  rules: Omit<SignatureRules, 'purpose'>,
): Promise<Reason[]> => [
  ...(await signatureReasons(opened, { ...rules, purpose: 'authentication' })),
  ...envelopeTimes(opened, rules),
]
