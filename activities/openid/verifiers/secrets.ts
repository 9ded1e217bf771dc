import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Dependencies } from '../../dependencies.ts'

/** Of names with 256 random bits, so that a plain digest cannot be guessed back. */
export const digestOf = (name: string): Buffer => createHash('sha256').update(name).digest()

/** The device that the wallet is on: another one, which reads the QR code, or the browser's, which opens the link. */
export type WalletDevice = 'other' | 'same'

/** Names, nonces and codes of sign-ins, by keys that are derived from the master key: no row has them in clear. */
export function createSignInSecrets({ config }: Pick<Dependencies, 'config'>) {
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', config.masterKey, '', `countersign/openid-verifiers/${purpose}`, 32))
  const keys = {
    request: keyFor('request'),
    nonce: keyFor('nonce'),
    response: keyFor('response-code'),
    subject: keyFor('subject'),
    cookie: keyFor('cookie'),
  }
  const made = (purpose: keyof typeof keys, of: string): string =>
    createHmac('sha256', keys[purpose]).update(of).digest('base64url')

  return {
    /** Names the request of a wallet in its address. */
    requestName: (signInId: string, device: WalletDevice): string => made('request', `${signInId}/${device}`),
    /** The challenge of a request: one for each device, so that an answer to the one is none to the other. */
    nonce: (signInId: string, device: WalletDevice): string => made('nonce', `${signInId}/${device}`),
    /** Leads the wallet's holder back to the browser where the sign-in began (OpenID4VP 1.0, section 8.2). */
    responseCode: (signInId: string): string => made('response', signInId),
    isResponseCode(signInId: string, given: string): boolean {
      const [own, other] = [Buffer.from(made('response', signInId)), Buffer.from(given)]
      return own.length === other.length && timingSafeEqual(own, other)
    },
    /** The `sub` of a holder at a verifier: the same at each sign-in, and another one at other verifiers (D-531). */
    subject: (tenantId: string, verifierId: string, holder: string): string =>
      made('subject', `${tenantId}/${verifierId}/${holder}`),
    /** Signs the cookies of a verifier. */
    cookieKey: (tenantId: string, verifierId: string): string => made('cookie', `${tenantId}/${verifierId}`),
  }
}

export type SignInSecrets = ReturnType<typeof createSignInSecrets>
