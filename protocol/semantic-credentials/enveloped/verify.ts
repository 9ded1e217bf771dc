import { verificationKey } from '../../data-integrity/keys.ts'
import { type DidDocument, dereference, parseDidUrl } from '../../dids/index.ts'
import { Refusal } from '../../errors.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../../time.ts'
import { endOf } from '../proofs.ts'
import { foreseen, type Reason } from '../reasons.ts'
import type { OpenedEnvelope } from './opened.ts'

interface EnvelopeRules extends Clock {
  /** Id of the credential's issuer. */
  issuer: string
  /** Throws `Refusal` or `Unavailable('outbound')` when the DID does not resolve. */
  resolveDid(did: string): Promise<DidDocument>
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
function times({ notBefore, expires }: OpenedEnvelope, rules: EnvelopeRules): Reason[] {
  if (!rules.atItsTime) return []
  const reasons: Reason[] = []
  if (notBefore !== undefined && isToCome(momentOfSeconds(notBefore), rules))
    reasons.push(because('NotYetValid', 'not_yet_valid', 'The envelope is not valid yet; see its nbf.'))
  if (expires !== undefined && hasCome(momentOfSeconds(expires), rules))
    reasons.push(because('Expired', 'expired', 'The envelope has expired; see its exp.'))
  return reasons
}

async function signature(opened: OpenedEnvelope, rules: EnvelopeRules): Promise<Reason[]> {
  const { issuer, resolveDid, byIssuer } = rules
  const { kid } = opened
  if (kid === undefined || kid === '' || kid.length > 2_048)
    return [because('Proof', 'key_missing', 'The header of the envelope names no key (kid).')]
  const url = kid.startsWith('did:') ? kid : `${issuer}#${kid.replace(/^#/, '')}`
  if (byIssuer && !url.startsWith(`${issuer}#`))
    return [because('Issuer', 'key_of_another', `The envelope is not signed by the issuer ${issuer.slice(0, 200)}.`)]
  const { method, authorized } = dereference(await resolveDid(parseDidUrl(url).did), url, 'assertionMethod')
  if (!authorized)
    return [because('Issuer', 'key_not_allowed', `The DID document does not allow ${url} for assertionMethod.`)]
  const end = endOf(method, rules)
  if (end !== undefined) return [because('Issuer', 'key_ended', end)]
  const fault = opened.signatureFault(verificationKey(method))
  return fault === undefined ? [] : [{ type: 'Proof', ...fault }]
}

/** Why the envelope does not secure its credential; an empty list if it does. Throws only errors of our own parts. */
export async function envelopeReasons(opened: OpenedEnvelope, rules: EnvelopeRules): Promise<Reason[]> {
  try {
    return [...(await signature(opened, rules)), ...times(opened, rules)]
  } catch (error) {
    if (!foreseen(error)) throw error
    const code = error instanceof Refusal ? { code: error.code } : {}
    return [{ type: 'Issuer', ...code, message: error.message }, ...times(opened, rules)]
  }
}
