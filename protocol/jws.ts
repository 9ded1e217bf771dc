import { fromBase64url } from './base64url.ts'
import { isObject } from './json.ts'

/** Members of the protected header that we write (RFC 7515, section 4.1); `kid` names the key. */
export interface JwsHeader {
  alg: 'EdDSA' | 'ES256' | 'ES384'
  typ?: string
  /** Of the payload. */
  cty?: string
  kid?: string
  /** The signer's certificate in base64 (section 4.1.6). */
  x5c?: string[]
  /** By which somebody vouches for the signer (OpenID4VP 1.0, section 12). */
  jwt?: string
}

/** Returns the `alg` of a key (RFC 8037, section 3.1; RFC 7518, section 3.4). Throws for other key types. */
export function jwsAlgorithm(keyType: string): JwsHeader['alg'] {
  if (keyType === 'ed25519') return 'EdDSA'
  if (keyType === 'p256') return 'ES256'
  if (keyType === 'p384') return 'ES384'
  throw new Error(`a key of type ${keyType} cannot sign a JWS`)
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

/** Header and payload as the signature covers them (RFC 7515, section 5.1); an object is signed as its JSON. */
export const jwsSigningInput = (header: object, payload: object): string =>
  `${base64url(JSON.stringify(header))}.${base64url(payload instanceof Uint8Array ? payload : JSON.stringify(payload))}`

/** Returns the compact JWS of a payload (RFC 7515, section 7.1). `sign` takes the bytes that are signed. */
export async function signCompactJws(
  header: JwsHeader,
  payload: object,
  sign: (data: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  const input = jwsSigningInput(header, payload)
  return `${input}.${base64url(await sign(Buffer.from(input)))}`
}

export interface CompactJws {
  header: Record<string, unknown>
  payload: Uint8Array
  signature: Uint8Array
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON of UTF-8 bytes. Throws for other bytes. */
export const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(utf8.decode(bytes))

/**
 * Reads a compact JWS: three parts of strict base64url, the first of them a JSON object (RFC 7515, section 7.1).
 * Undefined for any other text. The signature is not verified.
 */
export function parseCompactJws(text: string): CompactJws | undefined {
  const parts = text.split('.', 4)
  const [header, payload, signature] = parts.length === 3 ? parts.map(fromBase64url) : []
  if (!header || !payload || !signature) return undefined
  try {
    const members = jsonOf(header)
    return isObject(members) ? { header: members, payload, signature } : undefined
  } catch {
    return undefined // not JSON, so no JWS
  }
}
