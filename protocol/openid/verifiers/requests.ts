import type { JwsHeader } from '../../jws.ts'
import type { DcqlQuery } from './dcql.ts'

/** Client identifiers of verifiers: the DID that signs the request (OpenID4VP 1.0, section 5.9.3). */
export const clientIdOf = (verifierDid: string): string => `decentralized_identifier:${verifierDid}`

export interface WalletRequest {
  clientId: string
  responseUri: string
  nonce: string
  query: DcqlQuery
  issuedAt: Date
  expiresAt: Date
  /** What wallets show. */
  clientName: string
  logoUri: string | null
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** Algorithms of issuer and device that the verification of mdocs reads, as COSE has them. */
const MDOC_ALGORITHMS = [-7, -8, -35, -36]

/** Claims of the signed request object (OpenID4VP 1.0, section 5; RFC 9101). Wallets ignore an `iss`, so that there is none. */
export const requestClaims = ({ query, ...request }: WalletRequest) => ({
  aud: 'https://self-issued.me/v2',
  client_id: request.clientId,
  response_type: 'vp_token',
  response_mode: 'direct_post',
  response_uri: request.responseUri,
  nonce: request.nonce,
  iat: seconds(request.issuedAt),
  exp: seconds(request.expiresAt),
  dcql_query: query,
  client_metadata: {
    client_name: request.clientName,
    ...(request.logoUri !== null && { logo_uri: request.logoUri }),
    vp_formats_supported: {
      ldp_vc: {
        proof_type_values: ['DataIntegrityProof', 'Ed25519Signature2018', 'Ed25519Signature2020'],
        cryptosuite_values: ['eddsa-rdfc-2022', 'ecdsa-rdfc-2019', 'bbs-2023'],
      },
      mso_mdoc: { issuerauth_alg_values: MDOC_ALGORITHMS, deviceauth_alg_values: MDOC_ALGORITHMS },
    },
  },
})

export const requestObjectHeader = (alg: JwsHeader['alg'], kid: string): JwsHeader => ({
  alg,
  typ: 'oauth-authz-req+jwt',
  kid,
})

/** What opens a wallet, on this device as a link and on another one as a QR code (OpenID4VP 1.0, section 5.10). */
export const walletLink = (clientId: string, requestUri: string): string =>
  `openid4vp://?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`
