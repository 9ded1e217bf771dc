import { Refusal } from '../errors.ts'
import { parseJson } from '../json.strict.ts'

/** The types of our two kinds of payload (RFC 7515, section 4.1.10; RFC 7516, section 4.1.12). */
const JSON_TYPE = 'json'
const TEXT_TYPE = 'text/plain;charset=utf-8'

/** The bytes of a payload and their `cty`: a text as it is, everything else as its JSON. */
export function contentOf(payload: unknown): { cty: string; bytes: Buffer } {
  // no bytes at all would be a detached payload (RFC 7515, appendix F)
  const isText = typeof payload === 'string' && payload !== ''
  return { cty: isText ? TEXT_TYPE : JSON_TYPE, bytes: Buffer.from(isText ? payload : JSON.stringify(payload)) }
}

const isJsonType = (cty: string) => /^(application\/)?([\w.-]+\+)?json\s*(;|$)/i.test(cty)

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws the refusal of a payload: the broken rule, what is wrong, and what was expected. */
export type RefusePayload = (rule: 'payload', what: string, expected: string) => never

function textOf(bytes: Uint8Array, refuse: RefusePayload): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return refuse('payload', 'its payload is not text', 'expected JSON or text in UTF-8')
  }
}

/** The value of JSON text; undefined where it is none that every reader reads alike (protocol/json.strict.ts). */
function jsonValueOf(text: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return undefined
  }
}

/**
 * Returns the payload as its author meant it: by the cty of its header a JSON value or a text. Without a cty that we know,
 * an object or a list is read as JSON and everything else as text, so that no text becomes a number.
 */
export function payloadOf(
  { header, payload }: { header: Record<string, unknown>; payload: Uint8Array },
  refuse: RefusePayload,
): unknown {
  const text = textOf(payload, refuse)
  const cty = typeof header.cty === 'string' ? header.cty : ''
  if (/^text\/plain\s*(;|$)/i.test(cty)) return text
  const json = jsonValueOf(text)
  if (isJsonType(cty)) {
    if (json) return json.value
    return refuse(
      'payload',
      'its payload is not the JSON that its cty promises',
      'expected JSON with exact numbers and each name once',
    )
  }
  return typeof json?.value === 'object' && json.value !== null ? json.value : text
}
