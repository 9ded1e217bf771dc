import type { Json } from '../../data-integrity/index.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { MAX_ENVELOPED, membersIn } from '../bounds.ts'
import { bareFault } from '../enveloped/bare.ts'
import { openEnvelope } from '../enveloped/index.ts'

const CREDENTIAL = 'EnvelopedVerifiableCredential'
const PRESENTATION = 'EnvelopedVerifiablePresentation'

/** For people. */
export const PLAIN_JWT = `A plain JWT is not a credential of JSON-LD: send it as id of an ${CREDENTIAL}, as a data: URL.`

interface Contents {
  content: Json
  /** Members in its envelopes, where one that was read in vain counts by its length. */
  members: number
  /** What was in envelopes with a key binding. */
  keyBound: ReadonlySet<unknown>
}

/** Refusals of what had to be read before. */
const IN_VAIN = ['malformed', 'duplicate_member', 'nested', 'contradiction', 'claim_of_1_1'].map(
  (name) => `envelope.${name}`,
)
/** Characters of an envelope for a member: those of a short one in base64. */
const CHARACTERS = 8

/** Opening an envelope costs as much as its text is long, and several checks of one presentation ask for its content. */
const withContents = new WeakMap<Json, Contents>()

/**
 * A presentation with the credentials of its envelopes in their place, for checks of what they say. An envelope that
 * cannot be opened stays; the check of the credential itself says why. The envelopes of a presentation are opened once.
 */
export const withoutEnvelopes = (presentation: Json): Json => contentsOf(presentation).content

/** Whether its envelopes have more in them than a presentation without envelopes may have: no other check opens them. */
export const isOverfull = (presentation: Json): boolean => contentsOf(presentation).members > MAX_ENVELOPED

/** The credentials of `withoutEnvelopes` that came in an SD-JWT with a key binding; it is not checked here. */
export const keyBoundIn = (presentation: Json): ReadonlySet<unknown> => contentsOf(presentation).keyBound

function contentsOf(presentation: Json): Contents {
  const { verifiableCredential: value } = presentation
  const keyBound = new Set<unknown>()
  let members = 0
  const opened = (credential: unknown): unknown => {
    if (!isObject(credential) || !isEnveloped(credential) || members > MAX_ENVELOPED) return credential
    try {
      const { credential: content, keyBindingFault } = openEnvelope(credential)
      members += membersIn(content)
      if (keyBindingFault) keyBound.add(content)
      return content
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (IN_VAIN.includes(error.code)) members += Math.ceil(String(credential.id).length / CHARACTERS)
      return credential
    }
  }
  if (value === undefined) return { content: presentation, members, keyBound }
  const known = withContents.get(presentation)
  if (known) return known
  const content = { ...presentation, verifiableCredential: Array.isArray(value) ? value.map(opened) : opened(value) }
  const contents = { content, members, keyBound }
  withContents.set(presentation, contents)
  return contents
}

const isEnvelope = ({ type, id }: Json, name: string): boolean =>
  listOf(type).includes(name) || String(id).startsWith('data:')

/** Whether a credential is a JWT, an SD-JWT or COSE in an envelope, or a plain JWT. */
export const isEnveloped = (credential: unknown): boolean =>
  typeof credential === 'string' || (isObject(credential) && isEnvelope(credential, CREDENTIAL))

export const isEnvelopedPresentation = (presentation: Json): boolean => isEnvelope(presentation, PRESENTATION)

/** What forbids that a credential of a presentation is read by its envelope. */
export function envelopeErrors(credential: Json, path: string): FieldError[] {
  const fault = bareFault(credential, CREDENTIAL)
  return fault ? [{ path, ...fault }] : []
}
