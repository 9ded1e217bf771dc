import type { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import type { WalletRequest } from '../../../protocol/openid/verifiers/requests.ts'
import type { RequestContent } from './rows.ts'

/** Below the tenant's address: where wallets fetch requests and answer. */
export const WALLET_PATH = '/v1/openid4vp/wallet'

type Row = Pick<
  OpenIdPresentation,
  'clientIdentifier' | 'clientName' | 'certificateChain' | 'responseMode' | 'expiresAt'
>

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
