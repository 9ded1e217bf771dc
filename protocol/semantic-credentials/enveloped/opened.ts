import type { VerificationKey } from '../../data-integrity/keys.ts'
import { Refusal } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import type { KeyBindingSession } from '../../sd-jwt-credentials/key-binding.ts'
import type { Clock } from '../../time.ts'

/** Values of what is in an envelope at most, before they are counted member by member (`boundsErrors`). */
export const MAX_VALUES = 25_000

/** Why the signature of an envelope does not count, with its stable code. */
export interface EnvelopeFault {
  code: string
  message: string
}

/** What an envelope says of its signature. */
export interface Opened {
  mediaType: string
  /** The key as the header names it: a DID URL, or a fragment of the document of who signed. */
  kid: string | undefined
  /** Members of the envelope that say when it is valid, in seconds since 1970. */
  notBefore?: number | undefined
  expires?: number | undefined
  signatureFault(key: VerificationKey): EnvelopeFault | undefined
}

/** A credential taken out of an envelope. Nothing of it is proved before `signatureFault` says that nothing is wrong. */
export interface OpenedEnvelope extends Opened {
  /** As it was signed. */
  credential: Json
  /** true: beside the members are digests of others, which nobody disclosed; a status may be among them. */
  hidesMembers?: boolean
  /** Of a presented SD-JWT with a key binding: why that is none of the holder for a verifier. */
  keyBindingFault?(session: KeyBindingSession, clock: Clock): EnvelopeFault | undefined
}

/** A presentation taken out of an envelope. Nothing of it is proved before `signatureFault` says that nothing is wrong. */
export interface OpenedPresentation extends Opened {
  /** As it was signed. */
  presentation: Json
}

/** What stands in an envelope, and how its header may name that. */
export interface Enclosed {
  what: 'credential' | 'presentation'
  /** `typ`, without `application/` in a JWT. */
  type: string
  /** `cty`, or the content type. */
  contentType: string
}

export const refusedEnvelope = (code: string, message: string) => new Refusal(`envelope.${code}`, message)

/** The content of an envelope; it must be a JSON object. */
export function objectIn(content: unknown): Json {
  if (!isObject(content)) throw refusedEnvelope('malformed', 'The content of the envelope is not a JSON object.')
  return content
}

const idOf = (value: unknown): unknown => (isObject(value) ? value.id : value)

/**
 * Registered claims beside the members of the content must not say something else than these do (VC-JOSE-COSE 1.0,
 * sections 3.1.3 and 3.2.1). `members`: the names of the members that a claim stands for, and whether absent ones agree.
 */
export function assertAgrees(
  { what }: Pick<Enclosed, 'what'>,
  content: Json,
  claims: readonly { claim: string; member: string; values: readonly unknown[]; mayBeAbsent?: boolean }[],
): void {
  for (const { claim, member, values, mayBeAbsent = false } of claims) {
    const value = content[claim]
    const isAbsent = mayBeAbsent && values.every((each) => each === undefined)
    if (value === undefined || isAbsent || values.map(idOf).includes(value)) continue
    throw refusedEnvelope('contradiction', `The claim ${claim} of the JWT is not the ${member} of the ${what}.`)
  }
}
