import { fromBase64url } from '../../base64url.ts'
import { type VerificationKey, verifySignature } from '../../data-integrity/keys.ts'
import { Refusal } from '../../errors.ts'
import { parseForeignJson } from '../../json.depth.ts'
import { isObject, type Json, listOf } from '../../json.ts'
import {
  assertAgrees,
  type Enclosed,
  type EnvelopeFault,
  MAX_VALUES,
  type Opened,
  type OpenedEnvelope,
  type OpenedPresentation,
  objectIn,
  refusedEnvelope,
} from './opened.ts'

/** Algorithms by the type of the key (RFC 7518, section 3.1; RFC 8037; RFC 9864). */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  ed25519: ['EdDSA', 'Ed25519'],
  p256: ['ES256'],
  p384: ['ES384'],
  p521: ['ES512'],
}
const KNOWN = Object.values(ALGORITHMS).flat()

/** Media types of headers may leave `application/` out (RFC 7515, section 4.1.9). */
const isType = (value: unknown, name: string): boolean =>
  value === undefined || (typeof value === 'string' && value.toLowerCase().replace(/^application\//, '') === name)

function parsed(bytes: Uint8Array, part: string): unknown {
  try {
    return parseForeignJson(bytes, { code: 'envelope.malformed', maxValues: MAX_VALUES })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const code = error.message.includes('repeats') ? 'duplicate_member' : 'malformed'
    throw refusedEnvelope(code, error.message.replace('The document', `The ${part} of the JWT`))
  }
}

/** Throws `Refusal('envelope.*')` for a header by which nothing may be verified. */
export function checkHeader(header: Json, { what, type, contentType }: Enclosed): void {
  if (header.crit !== undefined || header.b64 !== undefined)
    throw refusedEnvelope('critical', `The header of the JWT has crit or b64, which no ${what} may have.`)
  if (typeof header.alg === 'string' && header.alg.toLowerCase() === 'none')
    throw refusedEnvelope('unsigned', 'The JWT is not signed: its alg is none.')
  if (!KNOWN.includes(String(header.alg)))
    throw refusedEnvelope('algorithm', `The alg of the JWT must be one of ${KNOWN.join(', ')}.`)
  if (!isType(header.typ, type)) throw refusedEnvelope('type', `The typ of the JWT must be ${type}.`)
  if (!isType(header.cty, contentType))
    throw refusedEnvelope('content_type', `The cty of the JWT must be ${contentType}.`)
}

/** A registered claim that is a time. */
export function secondsIn(content: Json, name: 'nbf' | 'exp'): number | undefined {
  const value = content[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw refusedEnvelope('malformed', `The claim ${name} of the JWT is not a number of seconds.`)
}

/** The content is the payload: `vc` and `vp` are of data model 1.1, and there is none in this form. */
export function assertPlainClaims({ what }: Enclosed, content: Json): void {
  for (const name of ['vc', 'vp'])
    if (Object.hasOwn(content, name))
      throw refusedEnvelope(
        'claim_of_1_1',
        `The JWT has the claim ${name}, which is of data model 1.1: the payload is the ${what}.`,
      )
}

export const assertCredentialClaims = (enclosed: Enclosed, credential: Json): void =>
  assertAgrees(enclosed, credential, [
    { claim: 'iss', member: 'issuer', values: [credential.issuer] },
    { claim: 'jti', member: 'id', values: [credential.id] },
    { claim: 'sub', member: 'subject', values: listOf(credential.credentialSubject) },
  ])

export const assertPresentationClaims = (enclosed: Enclosed, presentation: Json): void =>
  assertAgrees(enclosed, presentation, [
    { claim: 'iss', member: 'holder', values: [presentation.holder], mayBeAbsent: true },
    { claim: 'jti', member: 'id', values: [presentation.id], mayBeAbsent: true },
  ])

/** Why a key has not signed; its type must be that of the algorithm. */
export function joseFault(
  key: VerificationKey,
  { alg }: Json,
  { signed, signature }: { signed: Uint8Array; signature: Uint8Array },
): EnvelopeFault | undefined {
  if (!(ALGORITHMS[key.keyType] ?? []).includes(String(alg)))
    return { code: 'envelope.key_unfit', message: `The alg of the JWT is not one of a ${key.keyType} key.` }
  if (verifySignature(key, signed, signature)) return undefined
  return { code: 'envelope.signature', message: 'The signature of the JWT does not match its content.' }
}

/** Reads a JWS whose payload is the content itself. Throws `Refusal('envelope.*')`. */
function readJose(jwt: string, enclosed: Enclosed): Opened & { content: Json } {
  const parts = jwt.split('.', 4)
  const [header, payload, signature] = parts.length === 3 ? parts.map(fromBase64url) : []
  if (!header || !payload || !signature) throw refusedEnvelope('malformed', 'The JWT is not three parts of base64url.')
  const members = parsed(header, 'header')
  if (!isObject(members)) throw refusedEnvelope('malformed', 'The header of the JWT is not a JSON object.')
  checkHeader(members, enclosed)
  if (payload.length === 0)
    throw refusedEnvelope('detached', 'The JWT has no payload: a detached one cannot be verified here.')
  const content = objectIn(parsed(payload, 'payload'))
  assertPlainClaims(enclosed, content)
  const signed = Buffer.from(jwt.slice(0, jwt.lastIndexOf('.')))
  return {
    mediaType: `application/${enclosed.type}`,
    content,
    kid: typeof members.kid === 'string' ? members.kid : undefined,
    notBefore: secondsIn(content, 'nbf'),
    expires: secondsIn(content, 'exp'),
    signatureFault: (key: VerificationKey) => joseFault(key, members, { signed, signature }),
  }
}

const CREDENTIAL: Enclosed = { what: 'credential', type: 'vc+jwt', contentType: 'vc' }
const PRESENTATION: Enclosed = { what: 'presentation', type: 'vp+jwt', contentType: 'vp' }

/** Opens a credential that is secured as a JWS (VC-JOSE-COSE 1.0, section 3.1.1). Throws `Refusal('envelope.*')`. */
export function openJose(jwt: string): OpenedEnvelope {
  const { content: credential, ...opened } = readJose(jwt, CREDENTIAL)
  assertCredentialClaims(CREDENTIAL, credential)
  return { ...opened, credential }
}

/** Opens a presentation that is secured as a JWS (section 3.1.2). Throws `Refusal('envelope.*')`. */
export function openJosePresentation(jwt: string): OpenedPresentation {
  const { content: presentation, ...opened } = readJose(jwt, PRESENTATION)
  assertPresentationClaims(PRESENTATION, presentation)
  return { ...opened, presentation }
}
