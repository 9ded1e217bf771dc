import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { toJwk } from '../dids/jwk.ts'

/** A P-256 key whose private half stays in the key store. */
export interface StoredKey {
  /** Compressed point, 33 bytes. */
  publicKey: Uint8Array
  /** Returns r‖s of ECDSA over SHA-256 of the data (IEEE P1363). */
  sign(data: Uint8Array): Promise<Uint8Array>
}

export const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** The public half for WebCrypto. */
export const importPublicKey = (publicKey: Uint8Array): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('jwk', { ...toJwk({ keyType: 'p256', publicKey }) }, ECDSA, true, ['verify'])

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)

/** An object with one member replaced. Methods keep their receiver, which WebCrypto checks. */
const withMember = <T extends object>(object: T, member: string, value: unknown): T =>
  new Proxy(object, {
    get(target, name) {
      if (name === member) return value
      const own: unknown = Reflect.get(target, name)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })

/**
 * What @peculiar/x509 signs with: WebCrypto, whose `sign` asks the key store. The pair names the public half twice: the
 * library reads only the algorithm of the private one.
 */
export async function signingCrypto({ publicKey, sign }: StoredKey) {
  const key = await importPublicKey(publicKey)
  const signs = async (_algorithm: unknown, _key: unknown, data: ArrayBuffer | ArrayBufferView) => sign(bytesOf(data))
  const subtle = withMember(webcrypto.subtle, 'sign', signs)
  return { crypto: withMember(webcrypto, 'subtle', subtle), key, keys: { privateKey: key, publicKey: key } }
}
