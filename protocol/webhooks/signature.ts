import { createHash } from 'node:crypto'
import { httpbis } from 'http-message-signatures'

/** Components that a signature of a delivery covers, in their order (RFC 9421, section 2). */
export const COVERED = [
  '@method',
  '@authority',
  '@path',
  'content-digest',
  'content-type',
  'webhook-id',
  'x-webhook-id',
] as const

/** Says what a signature is for, so that it is none of another use of the key (RFC 9421, section 2.3). */
export const TAG = 'webhook'

const LABEL = 'sig1'

export interface SignedRequest {
  url: string
  headers: Record<string, string>
}

export interface SignatureKey {
  kid: string
  /** Ed25519 (RFC 8032). */
  sign(data: Uint8Array): Promise<Uint8Array>
}

/** Digest of a body in SHA-256 (RFC 9530, section 2). */
export const contentDigest = (body: string | Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`

/** What a signature covers and says of itself. */
export interface SignatureTerms {
  components: readonly string[]
  created: Date
  tag?: string
  label?: string
}

/**
 * Signs a POST as HTTP Message Signatures have it (RFC 9421, with ed25519 of section 3.3.6). Returns the headers with
 * `signature-input` and `signature`, in lower case. The headers have all components that are covered.
 */
export async function signPost(
  { url, headers }: SignedRequest,
  { kid, sign }: SignatureKey,
  { components, created, tag, label = LABEL }: SignatureTerms,
): Promise<Record<string, string>> {
  const key = { id: kid, alg: 'ed25519', sign: async (data: Buffer) => Buffer.from(await sign(data)) }
  const signed = await httpbis.signMessage(
    {
      key,
      name: label,
      fields: [...components],
      params: ['created', 'keyid', 'alg', 'tag'],
      paramValues: { created, tag },
    },
    { method: 'POST', url, headers },
  )
  return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}
