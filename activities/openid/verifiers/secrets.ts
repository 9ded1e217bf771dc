import { createHmac } from 'node:crypto'
import type { Dependencies } from '../../dependencies.ts'
import { isSame, keyFor } from '../../frame/secrets.ts'

/** The device that the wallet is on: another one, which reads the QR code, or the browser's, which opens the link. */
export type WalletDevice = 'other' | 'same'

/** How a wallet is reached: by a link, or by the browser itself (Digital Credentials API). */
export type WalletWay = WalletDevice | 'browser'

/** Names, nonces and codes of sign-ins, by keys that are derived from the master key: no row has them in clear. */
export function createSignInSecrets({ config }: Pick<Dependencies, 'config'>) {
  const keyOf = (purpose: string) => keyFor(config.masterKey, `openid-verifiers/${purpose}`)
  const keys = {
    request: keyOf('request'),
    nonce: keyOf('nonce'),
    page: keyOf('page'),
    response: keyOf('response-code'),
    return: keyOf('return-code'),
    state: keyOf('state'),
    subject: keyOf('subject'),
    cookie: keyOf('cookie'),
  }
  const made = (purpose: keyof typeof keys, of: string): string =>
    createHmac('sha256', keys[purpose]).update(of).digest('base64url')

  return {
    /** Names the request of a wallet in its address. */
    requestName: (signInId: string, device: WalletDevice): string => made('request', `${signInId}/${device}`),
    /** The challenge of a request: one for each device, so that an answer to the one is none to the other. */
    nonce: (signInId: string, way: WalletWay): string => made('nonce', `${signInId}/${way}`),
    /** What the wallet returns with its answer, beside presentations that nobody signed for it (section 5.3). */
    state: (requestId: string, way: WalletWay): string => made('state', `${requestId}/${way}`),
    /** Leads the wallet's holder back to the browser where the sign-in began (OpenID4VP 1.0, section 8.2). */
    responseCode: (signInId: string): string => made('response', signInId),
    isResponseCode: (signInId: string, given: string): boolean => isSame(made('response', signInId), given),
    /** Names the page of a request in its address. */
    pageName: (requestId: string): string => made('page', requestId),
    /** Leads the wallet's holder back to the page of a request, whose browser then gets the response code. */
    returnCode: (requestId: string): string => made('return', requestId),
    isReturnCode: (requestId: string, given: string): boolean => isSame(made('return', requestId), given),
    /** The `sub` of a holder at a verifier: the same at each sign-in, and another one at other verifiers (D-531). */
    subject: (tenantId: string, verifierId: string, holder: string): string =>
      made('subject', `${tenantId}/${verifierId}/${holder}`),
    /** Signs the cookies of a verifier. */
    cookieKey: (tenantId: string, verifierId: string): string => made('cookie', `${tenantId}/${verifierId}`),
  }
}

export type SignInSecrets = ReturnType<typeof createSignInSecrets>
