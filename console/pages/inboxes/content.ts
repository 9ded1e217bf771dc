interface Content {
  /** Of a DIDComm message, which is an object with both. */
  type?: string
  from?: string
  /** Its body, as text: what it says. */
  body?: string
  /** The message as JSON; undefined when it is other text. */
  json?: unknown
}

const textAt = (value: object, name: string): string | undefined => {
  const member: unknown = Reflect.get(value, name)
  return typeof member === 'string' ? member : undefined
}

/** What a message says of itself: it is text that anybody may have written. */
export function contentOf(payload: string): Content {
  let json: unknown
  try {
    json = JSON.parse(payload)
  } catch {
    return {} // a compact JWS, or text
  }
  if (typeof json !== 'object' || json === null) return { json }
  const body: unknown = Reflect.get(json, 'body')
  return {
    json,
    type: textAt(json, 'type'),
    from: textAt(json, 'from'),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}
