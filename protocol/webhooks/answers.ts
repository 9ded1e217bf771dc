/** Characters of an answer's body that are kept, and of its content type. */
export const MOST_CHARACTERS = 1_024
const MOST_TYPE_CHARACTERS = 255
/** So many bytes have the characters that are kept, whatever they are in UTF-8, also after a mark of order. */
const MOST_BYTES = MOST_CHARACTERS * 4 + 8

/** What a receiver answered, as far as it is kept: text of a stranger. */
export interface KeptAnswer {
  contentType?: string
  /** Absent where the answer had no body, or none that is text. */
  text?: string
  /** There was more than is kept. */
  isCut?: true
}

/** Media types whose bodies are read as text; so is a body without a type. */
const TEXTUAL = /^\s*(text\/|application\/(json|xml|x-www-form-urlencoded)\b|[a-z]+\/[^\s;]+\+(json|xml)\b)/i

/** What a terminal or a page would obey in place of showing it: controls besides tab and line feed, and marks of direction. */
const OBEYED = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const harmless = (text: string): string => text.replaceAll('\r\n', '\n').replace(OBEYED, '\ufffd')

const firstOf = (text: string, count: number): string => [...text].slice(0, count).join('')

/** Reads what is kept of an answer. Its headers have lower-case names. */
export function keptAnswer(headers: Readonly<Record<string, string>>, body: Uint8Array): KeptAnswer {
  const type = headers['content-type']
  const named = type === undefined ? {} : { contentType: firstOf(harmless(type), MOST_TYPE_CHARACTERS) }
  const isText =
    (type === undefined || TEXTUAL.test(type)) && (headers['content-encoding'] ?? 'identity') === 'identity'
  if (!isText || body.length === 0) return named
  const whole = harmless(new TextDecoder().decode(body.subarray(0, MOST_BYTES)))
  const text = firstOf(whole, MOST_CHARACTERS)
  return { ...named, text, ...((text !== whole || body.length > MOST_BYTES) && { isCut: true }) }
}
