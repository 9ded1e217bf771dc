import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Reply, World } from '../../world.ts'

export interface RequestEncryption {
  jwks: { keys: JWK[] }
  enc_values_supported: string[]
  encryption_required: boolean
}

/** What the issuer's metadata says of encrypted requests. */
export async function requestEncryptionOf({ ask }: Pick<World, 'ask'>): Promise<RequestEncryption> {
  const metadata = (await ask('/.well-known/openid-credential-issuer')).json<Record<string, unknown>>()
  return metadata.credential_request_encryption as RequestEncryption
}

/** A key of a wallet for answers. */
export async function createAnswerKey(crv = 'P-256') {
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv, extractable: true })
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES', kid: 'of-the-wallet' }
  return {
    jwk,
    privateJwk: await exportJWK(privateKey),
    /** The header and the content of an answer. */
    async open(jwe: string) {
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey)
      return { header: protectedHeader, content: JSON.parse(Buffer.from(plaintext).toString()) }
    },
  }
}

export type AnswerKey = Awaited<ReturnType<typeof createAnswerKey>>

/** A request for the issuer, which a test changes by its header. */
export async function encryptFor(
  { jwks }: RequestEncryption,
  content: object | string,
  {
    jwk = jwks.keys[0],
    ...header
  }: { jwk?: JWK | undefined; alg?: string; enc?: string; kid?: string; zip?: string } = {},
): Promise<string> {
  const { kid = '', alg = 'ECDH-ES' } = jwk ?? {}
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg, enc: 'A256GCM', kid, ...header })
    .encrypt(await importJWK(jwk ?? {}, header.alg ?? alg))
}

export const isJwt = ({ headers }: Pick<Reply, 'headers'>): boolean => headers.get('content-type') === 'application/jwt'

const ENCRYPTED = /\/v1\/openid\/(deferred-)?credential$/

/** `fetch` of a wallet that encrypts what it asks for, and has its answers encrypted (OpenID4VCI 1.0, section 10). */
export const encryptingFetch =
  (metadata: () => Promise<RequestEncryption>, key: AnswerKey, seen: string[] = []): typeof fetch =>
  async (input, init) => {
    if (!ENCRYPTED.test(String(input))) return fetch(input, init)
    const content = {
      ...(JSON.parse(String(init?.body)) as object),
      credential_response_encryption: { jwk: key.jwk, enc: 'A128GCM' },
    }
    const headers = new Headers(init?.headers)
    headers.set('content-type', 'application/jwt')
    const response = await fetch(input, { ...init, headers, body: await encryptFor(await metadata(), content) })
    if (!isJwt(response)) return response
    const jwe = await response.text()
    seen.push(jwe)
    return Response.json((await key.open(jwe)).content, { status: response.status })
  }
