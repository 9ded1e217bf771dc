import type { VerificationKey } from '../../data-integrity/keys.ts'
import { isObject, type Json } from '../../json.ts'
import { Faulty } from '../../sd-jwt-credentials/faults.ts'
import { type KeyBindingSession, verifyKeyBinding } from '../../sd-jwt-credentials/key-binding.ts'
import { type IssuedNode, type ProcessedSdJwt, processSdJwt } from '../../sd-jwt-credentials/processed.ts'
import { type ReadSdJwt, readSdJwt } from '../../sd-jwt-credentials/read.ts'
import type { Clock } from '../../time.ts'
import { ALWAYS } from './disclosure.ts'
import {
  assertCredentialClaims,
  assertPlainClaims,
  assertPresentationClaims,
  checkHeader,
  joseFault,
  secondsIn,
} from './jose.ts'
import {
  type Enclosed,
  type EnvelopeFault,
  type Opened,
  type OpenedEnvelope,
  type OpenedPresentation,
  objectIn,
  refusedEnvelope,
} from './opened.ts'

const CREDENTIAL: Enclosed = { what: 'credential', type: 'vc+sd-jwt', contentType: 'vc' }
const PRESENTATION: Enclosed = { what: 'presentation', type: 'vp+sd-jwt', contentType: 'vp' }

function read(text: string): ReadSdJwt & ProcessedSdJwt {
  try {
    const sdJwt = readSdJwt(text)
    return { ...sdJwt, ...processSdJwt(sdJwt) }
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    throw refusedEnvelope('malformed', `${error.fault.code}: ${error.message}`)
  }
}

const partsOf = ({ content }: IssuedNode): IssuedNode[] =>
  content.kind === 'array' ? content.elements : content.kind === 'object' ? [...content.members.values()] : []

/** Whether a holder may show or leave out a node or a part of it, or has left an element out. */
const isSelective = (node: IssuedNode): boolean =>
  node.disclosure !== undefined || node.content.kind === 'hidden' || partsOf(node).some(isSelective)

/** Whether an object has digests that nobody disclosed: of members, or decoys, which look the same. */
const hidesMembers = (node: IssuedNode): boolean =>
  (node.content.kind === 'object' && node.content.undisclosed > 0) || partsOf(node).some(hidesMembers)

/** Members by which a credential is judged: a holder who can show them can leave them out as well (D-836). */
function assertAlwaysDisclosed({ content }: IssuedNode): void {
  if (content.kind !== 'object') return
  for (const [name, member] of content.members)
    if (ALWAYS.has(name) && isSelective(member))
      throw refusedEnvelope(
        'never_selective',
        `The member ${name} must not be selectively disclosable, nor a part of it.`,
      )
}

/** Whether what the credential is judged by may have members that are not disclosed: its own, or those of such a member. */
function hidesJudged({ content }: IssuedNode): boolean {
  if (content.kind !== 'object') return false
  return (
    content.undisclosed > 0 || [...content.members].some(([name, member]) => ALWAYS.has(name) && hidesMembers(member))
  )
}

/**
 * Whether an enveloped credential is presented with a key binding: its SD-JWT does not end with a tilde. The scheme is
 * written as every envelope has it (`bareFault`): with another one, a credential is none.
 */
export function isKeyBound(envelope: unknown): boolean {
  const id = isObject(envelope) ? String(envelope.id) : ''
  return id.startsWith('data:') && /^data:application\/vc\+sd-jwt,/i.test(id) && !id.endsWith('~')
}

/** Why a key binding is none of the holder in `cnf` for this verifier (RFC 9901, section 7.3). */
function bindingFault(
  sdJwt: ReadSdJwt,
  claims: Json,
  session: KeyBindingSession,
  clock: Clock,
): EnvelopeFault | undefined {
  try {
    verifyKeyBinding(sdJwt, claims, session, clock)
    return undefined
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return { code: 'envelope.key_binding', message: `${error.fault.code}: ${error.message}` }
  }
}

/** What the header and the disclosed content say of the signature. Throws `Refusal('envelope.*')`. */
function openedOf({ header, input, signature }: ReadSdJwt, content: Json, enclosed: Enclosed): Opened {
  checkHeader(header, enclosed)
  assertPlainClaims(enclosed, content)
  return {
    mediaType: `application/${enclosed.type}`,
    kid: typeof header.kid === 'string' ? header.kid : undefined,
    notBefore: secondsIn(content, 'nbf'),
    expires: secondsIn(content, 'exp'),
    signatureFault: (key: VerificationKey) => joseFault(key, header, { signed: input, signature }),
  }
}

/**
 * Opens a credential that is secured as an SD-JWT (VC-JOSE-COSE 1.0, section 3.2.1): what is disclosed is the credential.
 * Throws `Refusal('envelope.*')`.
 */
export function openSdJwt(text: string): OpenedEnvelope {
  const sdJwt = read(text)
  const { keyBinding, claims, root } = sdJwt
  const credential = objectIn(claims)
  const opened = openedOf(sdJwt, credential, CREDENTIAL)
  assertAlwaysDisclosed(root)
  assertCredentialClaims(CREDENTIAL, credential)
  return {
    ...opened,
    credential,
    hidesMembers: hidesJudged(root),
    ...(keyBinding && {
      keyBindingFault: (session: KeyBindingSession, clock: Clock) => bindingFault(sdJwt, claims, session, clock),
    }),
  }
}

/**
 * The same of a presentation (section 3.2.2), whose holder has signed it: a key binding would be of somebody else
 * (D-891). Throws `Refusal('envelope.*')`.
 */
export function openSdJwtPresentation(text: string): OpenedPresentation {
  const sdJwt = read(text)
  const presentation = objectIn(sdJwt.claims)
  const opened = openedOf(sdJwt, presentation, PRESENTATION)
  if (sdJwt.keyBinding)
    throw refusedEnvelope('key_binding', 'A presentation has no key binding: its holder has signed it.')
  assertPresentationClaims(PRESENTATION, presentation)
  return { ...opened, presentation }
}
