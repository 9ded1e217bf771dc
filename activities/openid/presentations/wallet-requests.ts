import type { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import type { Identified, WalletRequest } from '../../../protocol/openid/verifiers/requests.ts'
import type { SignInSecrets } from '../verifiers/secrets.ts'
import type { RequestContent } from './rows.ts'

/** Below the tenant's address: where wallets fetch requests and answer. */
export const WALLET_PATH = '/v1/openid4vp/wallet'
/** Below it: the pages of the platform that show requests to people. */
export const PAGE_PATH = '/v1/openid4vp/pages'

/** What a page gives to its browser: a signed request of the Digital Credentials API (OpenID4VP 1.0, appendix A.1). */
export interface BrowserRequest {
  protocol: string
  data: { request: string }
}

export const browserRequestOf = (request: string): BrowserRequest => ({
  protocol: 'openid4vp-v1-signed',
  data: { request },
})

/**
 * What is the browser's own in a request: an answer to it is none to the link of the same request. The Digital Credentials
 * API has no `state` (OpenID4VP 1.0, appendix A.2).
 */
export const browserSession = (secrets: SignInSecrets, id: string, issuedAt: Date) => ({
  nonce: secrets.nonce(id, 'browser'),
  issuedAt,
})

type Row = Pick<
  OpenIdPresentation,
  'clientIdentifier' | 'clientName' | 'certificateChain' | 'responseMode' | 'expiresAt'
>

/** Who signs. */
export const signedBy = (
  { verifierDid, certificateChain }: Pick<OpenIdPresentation, 'verifierDid' | 'certificateChain'>,
  { attestation }: RequestContent,
): Identified => ({ verifierDid, certificateChain: certificateChain ?? null, attestation })

/** What a wallet is asked, before it is signed. */
export const walletRequestOf = (
  { clientIdentifier, clientName, certificateChain, responseMode, expiresAt }: Row,
  { query, transactionData, encryption, expectedOrigins }: RequestContent,
  own: Pick<WalletRequest, 'nonce' | 'issuedAt' | 'responseUri' | 'state'>,
): WalletRequest => ({
  clientId: clientIdentifier,
  responseMode,
  query,
  expiresAt,
  ...(encryption && { encryption }),
  ...(expectedOrigins && { expectedOrigins }),
  ...(transactionData && { transactionData: transactionData.map(({ encoded }) => encoded) }),
  ...(clientName && !certificateChain && { shown: { clientName, logoUri: null } }),
  ...own,
})
