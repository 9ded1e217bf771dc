import { fromBase64url } from '../../base64url.ts'
import { Refusal } from '../../errors.ts'
import { type Json, listOf } from '../../json.ts'
import { boundsErrors } from '../bounds.ts'
import { bareFault } from './bare.ts'
import { openCose, openCosePresentation } from './cose.ts'
import { openJose, openJosePresentation } from './jose.ts'
import { type Enclosed, type OpenedEnvelope, type OpenedPresentation, refusedEnvelope } from './opened.ts'
import { openSdJwt, openSdJwtPresentation } from './sd-jwt.ts'

export type { Opened, OpenedEnvelope, OpenedPresentation } from './opened.ts'

/** `data:` URLs without further parameters than `;base64` (RFC 2397; VC Data Model 2.0, section 4.12). */
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+)(;base64)?,([\s\S]*)$/i

type Openers<Result> = ReadonlyMap<string, (content: string, isBase64: boolean) => Result>

/** An opener of envelopes that stand in the URL as they are. */
const ofText =
  <Result>(mediaType: string, open: (text: string) => Result) =>
  (content: string, isBase64: boolean): Result => {
    if (isBase64)
      throw refusedEnvelope('encoding', `A data: URL of ${mediaType} has the JWT as it is, without ;base64.`)
    return open(content)
  }

/** An opener of envelopes that are bytes. */
const ofBytes =
  <Result>(mediaType: string, open: (bytes: Uint8Array) => Result) =>
  (content: string, isBase64: boolean): Result => {
    const bytes = isBase64 ? fromBase64url(base64urlOf(content)) : undefined
    if (!bytes) throw refusedEnvelope('encoding', `A data: URL of ${mediaType} must have ;base64, and base64 after it.`)
    return open(bytes)
  }

const CREDENTIALS: Openers<OpenedEnvelope> = new Map([
  ['application/vc+jwt', ofText('application/vc+jwt', openJose)],
  ['application/vc+cose', ofBytes('application/vc+cose', openCose)],
  ['application/vc+sd-jwt', ofText('application/vc+sd-jwt', openSdJwt)],
])

const PRESENTATIONS: Openers<OpenedPresentation> = new Map([
  ['application/vp+jwt', ofText('application/vp+jwt', openJosePresentation)],
  ['application/vp+cose', ofBytes('application/vp+cose', openCosePresentation)],
  ['application/vp+sd-jwt', ofText('application/vp+sd-jwt', openSdJwtPresentation)],
])

/** Base64 (RFC 4648, section 4) in the alphabet of base64url; text that is not base64 stays what it is not. */
const base64urlOf = (text: string): string =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? text
        .replace(/={1,2}$/, '')
        .replaceAll('+', '-')
        .replaceAll('/', '_')
    : '*'

const isNested = ({ type, id }: Json): boolean =>
  listOf(type).some((name) => String(name).startsWith('Enveloped')) || String(id).startsWith('data:')

function openUrl<Result>(id: unknown, what: Enclosed['what'], openers: Openers<Result>): Result {
  const [, mediaType, base64, content] = (typeof id === 'string' && DATA_URL.exec(id)) || []
  if (mediaType === undefined || content === undefined)
    throw refusedEnvelope('url', `The id of an enveloped ${what} must be a data: URL with a media type.`)
  const open = openers.get(mediaType.toLowerCase())
  const known = [...openers.keys()].join(', ')
  if (!open)
    throw refusedEnvelope(
      'media_type',
      `Envelopes of ${mediaType.slice(0, 60)} are not supported: use one of ${known}.`,
    )
  return open(content, base64 !== undefined)
}

function assertBare(envelope: Json, name: string): void {
  const fault = bareFault(envelope, name)
  if (fault) throw new Refusal(fault.code, fault.message)
}

function assertPlain(content: Json, what: Enclosed['what']): void {
  const [fault] = boundsErrors(content, 'foreign')
  if (fault) throw refusedEnvelope('malformed', `The ${what} in the envelope ${fault.message}.`)
  if (isNested(content)) throw refusedEnvelope('nested', `An envelope must contain a ${what}, not an envelope.`)
}

/**
 * Takes the credential out of an `EnvelopedVerifiableCredential` (VC Data Model 2.0, section 4.12; Securing Verifiable
 * Credentials using JOSE and COSE 1.0). Throws `Refusal('envelope.*')` for what is no such envelope; the signature is not
 * verified.
 */
export function openEnvelope(envelope: Json): OpenedEnvelope {
  assertBare(envelope, 'EnvelopedVerifiableCredential')
  const opened = openUrl(envelope.id, 'credential', CREDENTIALS)
  assertPlain(opened.credential, 'credential')
  return opened
}

/** The same of an envelope alone: a JWS as text, or the bytes of a COSE_Sign1. */
export function openEncoded(encoded: string | Uint8Array): OpenedEnvelope {
  const opened = typeof encoded === 'string' ? openJose(encoded) : openCose(encoded)
  assertPlain(opened.credential, 'credential')
  return opened
}

/** The same of an `EnvelopedVerifiablePresentation` (section 4.13). Its credentials may come in envelopes of their own. */
export function openPresentation(envelope: Json): OpenedPresentation {
  assertBare(envelope, 'EnvelopedVerifiablePresentation')
  const opened = openUrl(envelope.id, 'presentation', PRESENTATIONS)
  assertPlain(opened.presentation, 'presentation')
  return opened
}
