import type { VerificationKey } from '../../data-integrity/keys.ts'
import { Refusal } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'

/** Why the signature of an envelope does not count, with its stable code. */
export interface EnvelopeFault {
  code: string
  message: string
}

/** A credential taken out of an envelope. Nothing of it is proved before `signatureFault` says that nothing is wrong. */
export interface OpenedEnvelope {
  mediaType: string
  /** As it was signed. */
  credential: Json
  /** The key as the header names it: a DID URL, or a fragment of the issuer's document. */
  kid: string | undefined
  /** Members of the envelope that say when it is valid, in seconds since 1970. */
  notBefore?: number | undefined
  expires?: number | undefined
  signatureFault(key: VerificationKey): EnvelopeFault | undefined
}

export const refusedEnvelope = (code: string, message: string) => new Refusal(`envelope.${code}`, message)

/** The content of an envelope as a credential; it must be a JSON object. */
export function credentialIn(content: unknown): Json {
  if (!isObject(content)) throw refusedEnvelope('malformed', 'The content of the envelope is not a JSON object.')
  return content
}
