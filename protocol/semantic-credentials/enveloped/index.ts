import { fromBase64url } from '../../base64url.ts'
import { type Json, listOf } from '../../json.ts'
import { boundsErrors } from '../bounds.ts'
import { openCose } from './cose.ts'
import { openJose } from './jose.ts'
import { type OpenedEnvelope, refusedEnvelope } from './opened.ts'

export type { OpenedEnvelope } from './opened.ts'

/** `data:` URLs without further parameters than `;base64` (RFC 2397; VC Data Model 2.0, section 4.12). */
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+)(;base64)?,([\s\S]*)$/i

const OPENERS: ReadonlyMap<string, (content: string, isBase64: boolean) => OpenedEnvelope> = new Map([
  [
    'application/vc+jwt',
    (content, isBase64) => {
      if (isBase64)
        throw refusedEnvelope('encoding', 'A data: URL of application/vc+jwt has the JWT as it is, without ;base64.')
      return openJose(content)
    },
  ],
  [
    'application/vc+cose',
    (content, isBase64) => {
      const bytes = isBase64 ? fromBase64url(base64urlOf(content)) : undefined
      if (!bytes)
        throw refusedEnvelope('encoding', 'A data: URL of application/vc+cose must have ;base64, and base64 after it.')
      return openCose(bytes)
    },
  ],
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

/**
 * Takes the credential out of an `EnvelopedVerifiableCredential` (VC Data Model 2.0, section 4.12; Securing Verifiable
 * Credentials using JOSE and COSE 1.0). Throws `Refusal('envelope.*')` for what is no such envelope; the signature is not
 * verified.
 */
export function openEnvelope({ id }: Json): OpenedEnvelope {
  const [, mediaType, base64, content] = (typeof id === 'string' && DATA_URL.exec(id)) || []
  if (mediaType === undefined || content === undefined)
    throw refusedEnvelope('url', 'The id of an enveloped credential must be a data: URL with a media type.')
  const open = OPENERS.get(mediaType.toLowerCase())
  if (!open)
    throw refusedEnvelope(
      'media_type',
      `Envelopes of ${mediaType.slice(0, 60)} are not supported: use one of ${TYPES}.`,
    )
  const opened = open(content, base64 !== undefined)
  const [fault] = boundsErrors(opened.credential, 'foreign')
  if (fault) throw refusedEnvelope('malformed', `The credential in the envelope ${fault.message}.`)
  if (isNested(opened.credential))
    throw refusedEnvelope('nested', 'An envelope must contain a credential, not an envelope.')
  return opened
}

const TYPES = [...OPENERS.keys()].join(', ')
