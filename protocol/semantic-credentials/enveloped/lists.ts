import { parseForeignJson } from '../../json.depth.ts'
import { isObject } from '../../json.ts'
import { isEnveloped } from '../presentations/envelopes.ts'
import { openEncoded, openEnvelope } from './index.ts'
import type { OpenedEnvelope } from './opened.ts'

/** A status list as it was published: the credential as it was signed, and the envelope that it came in. */
export interface PublishedDocument {
  content: unknown
  envelope?: OpenedEnvelope
}

/** The tag of a COSE_Sign1, or the list that it is without its tag (RFC 9052, section 4.2). */
const COSE = [0xd2, 0x84]

const utf8 = new TextDecoder()

const opened = (envelope: OpenedEnvelope): PublishedDocument => ({ content: envelope.credential, envelope })

/**
 * Reads a status list of others, in the form that its bytes have: media types of servers say less. JSON is a credential
 * with a proof, or an object with an envelope; text is a JWS (`application/vc+jwt`), other bytes a COSE_Sign1
 * (`application/vc+cose`). Throws `Refusal('status_list.malformed')`, `Refusal('envelope.*')`; no signature is verified.
 */
export function openPublished(bytes: Uint8Array): PublishedDocument {
  if (COSE.includes(bytes[0] ?? 0)) return opened(openEncoded(bytes))
  const text = utf8.decode(bytes).trim()
  if (/^ey[A-Za-z0-9_-]*\./.test(text)) return opened(openEncoded(text))
  const content = parseForeignJson(bytes, { code: 'status_list.malformed' })
  return isObject(content) && isEnveloped(content) ? opened(openEnvelope(content)) : { content }
}
