import {
  calculateJwkThumbprint,
  compactDecrypt,
  decodeProtectedHeader,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { Refusal } from '../../errors.ts'
import { isObject } from '../../json.ts'
import { parseAnswer } from '../dcql/token.ts'

/** How a wallet may encrypt its answer, best first (OpenID4VP 1.0, section 5.1). */
export const ENCRYPTIONS: readonly string[] = ['A256GCM', 'A128GCM']

const ALG = 'ECDH-ES'

/** A key for one answer. */
export interface EncryptionKey {
  publicJwk: JWK & { kid: string }
  privateJwk: JWK
}

/** Makes a key of P-256 for one request. */
export async function newEncryptionKey(kid: string): Promise<EncryptionKey> {
  const { publicKey, privateKey } = await generateKeyPair(ALG, { crv: 'P-256', extractable: true })
  const publicJwk = { ...(await exportJWK(publicKey)), kid, use: 'enc', alg: ALG }
  return { publicJwk, privateJwk: await exportJWK(privateKey) }
}

/** SHA-256 thumbprint of the key (RFC 7638), as bytes. */
export const thumbprintOf = async ({ publicJwk }: EncryptionKey): Promise<Uint8Array> =>
  Buffer.from(await calculateJwkThumbprint(publicJwk), 'base64url')

const unreadable = (message: string) => new Refusal('sign_in.answer_malformed', message)

/**
 * Decrypts an answer (section 8.3): a JWE to the key of its request, by ECDH-ES and one of `ENCRYPTIONS`. Throws
 * `Refusal('sign_in.answer_malformed')`, with one text for whatever does not decrypt.
 */
export async function decryptAnswer(jwe: string, { publicJwk, privateJwk }: EncryptionKey) {
  const { kid } = publicJwk
  try {
    const header = decodeProtectedHeader(jwe)
    if (header.kid !== undefined && header.kid !== kid) throw unreadable('The answer is encrypted to another key.')
    const key = await importJWK({ ...privateJwk, alg: ALG }, ALG)
    const allowed = { keyManagementAlgorithms: [ALG], contentEncryptionAlgorithms: [...ENCRYPTIONS] }
    const { plaintext } = await compactDecrypt(jwe, key, allowed)
    const answer = parseAnswer(new TextDecoder('utf-8', { fatal: true }).decode(plaintext), 'encrypted answer')
    if (isObject(answer)) return answer
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (!(error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)) throw error
  }
  throw unreadable(
    `The answer cannot be decrypted: it is no JWE in compact form to the key of the request, by ${ALG} and ${ENCRYPTIONS.join(' or ')}.`,
  )
}
