import type { JwsHeader } from '../../jws.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { ENCRYPTIONS, type EncryptionKey } from '../presentations/encryption.ts'
import type { RequestUriMethod, ResponseMode } from '../presentations/requests.ts'
import { knownAttestation } from './attestations.ts'
import { type CertificateChain, leafHash } from './certificates.ts'

export interface Identified {
  verifierDid: string
  certificateChain?: CertificateChain | null
  /** The JWT of somebody who vouches for the key; then there is no chain. */
  attestation?: string | undefined
}

/**
 * Client identifiers of verifiers: what an attestation says of the key that signs, or its certificate, or else its DID
 * (OpenID4VP 1.0, section 5.9.3).
 */
export function clientIdOf({ verifierDid, certificateChain, attestation }: Identified): string {
  if (attestation !== undefined) return `verifier_attestation:${knownAttestation(attestation).subject}`
  return certificateChain ? `x509_hash:${leafHash(certificateChain)}` : `decentralized_identifier:${verifierDid}`
}

export interface WalletRequest {
  clientId: string
  responseMode: ResponseMode
  /** Where the wallet answers; absent: through the browser that asks. */
  responseUri?: string
  /** Of the pages whose browser asks, by the Digital Credentials API (appendix A.2). */
  expectedOrigins?: readonly string[]
  nonce: string
  query: DcqlQuery
  issuedAt: Date
  expiresAt: Date
  /** Returned with the answer. */
  state?: string
  /** That the answer is encrypted to; absent: it is not encrypted. */
  encryption?: Pick<EncryptionKey, 'publicJwk'>
  /** How it may be encrypted; absent: by all of `ENCRYPTIONS`. */
  encryptions?: readonly string[]
  /** Of the wallet that posted for the request (section 5.10). */
  walletNonce?: string
  /** Of each entry the JSON in base64url (section 5.1). */
  transactionData?: readonly string[]
  /** What some wallets show of a verifier that no certificate names. */
  shown?: { clientName: string; logoUri: string | null }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** Algorithms of issuer and device that the verification of mdocs reads, as COSE has them, and as RFC 9864 names them with their curve. */
const MDOC_ALGORITHMS = [-7, -9, -8, -19, -35, -51, -36, -52]

/** Of SD-JWT VCs, as their verification reads them. */
const SD_JWT_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519']

const CRYPTOSUITES = [
  'eddsa-rdfc-2022',
  'ecdsa-rdfc-2019',
  'bbs-2023',
  'eddsa-jcs-2022',
  'ecdsa-jcs-2019',
  'ecdsa-sd-2023',
] as const

/** What the verification of each format reads (section 11.1). */
export const VP_FORMATS = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': SD_JWT_ALGORITHMS, 'kb-jwt_alg_values': SD_JWT_ALGORITHMS },
  ldp_vc: {
    proof_type_values: ['DataIntegrityProof', 'Ed25519Signature2018', 'Ed25519Signature2020'],
    cryptosuite_values: CRYPTOSUITES,
  },
  mso_mdoc: { issuerauth_alg_values: MDOC_ALGORITHMS, deviceauth_alg_values: MDOC_ALGORITHMS },
} as const

/** Claims of the signed request object (OpenID4VP 1.0, section 5; RFC 9101). Wallets ignore an `iss`, so that there is none. */
export const requestClaims = ({ query, shown, encryption, transactionData, ...request }: WalletRequest) => ({
  aud: 'https://self-issued.me/v2',
  client_id: request.clientId,
  response_type: 'vp_token',
  response_mode: request.responseMode,
  ...(request.responseUri !== undefined && { response_uri: request.responseUri }),
  ...(request.expectedOrigins && { expected_origins: request.expectedOrigins }),
  nonce: request.nonce,
  ...(request.walletNonce !== undefined && { wallet_nonce: request.walletNonce }),
  ...(request.state !== undefined && { state: request.state }),
  iat: seconds(request.issuedAt),
  exp: seconds(request.expiresAt),
  dcql_query: query,
  ...(transactionData && { transaction_data: transactionData }),
  client_metadata: {
    ...(shown && { client_name: shown.clientName }),
    ...(typeof shown?.logoUri === 'string' && { logo_uri: shown.logoUri }),
    ...(encryption && {
      jwks: { keys: [encryption.publicJwk] },
      encrypted_response_enc_values_supported: request.encryptions ?? ENCRYPTIONS,
    }),
    vp_formats_supported: VP_FORMATS,
  },
})

/** `kid`: the DID URL of the key. */
export const requestObjectHeader = (
  alg: JwsHeader['alg'],
  kid: string,
  { certificateChain, attestation }: Identified,
): JwsHeader => {
  const header = { alg, typ: 'oauth-authz-req+jwt' }
  // the attestation says which key it is
  if (attestation !== undefined) return { ...header, jwt: attestation }
  return { ...header, ...(certificateChain ? { x5c: [...certificateChain] } : { kid }) }
}

/** What opens a wallet, on this device as a link and on another one as a QR code (OpenID4VP 1.0, sections 5 and 5.10). */
export const walletLink = (clientId: string, requestUri: string, method: RequestUriMethod = 'get'): string => {
  const parameters = new URLSearchParams({ client_id: clientId, request_uri: requestUri })
  if (method === 'post') parameters.set('request_uri_method', method)
  return `openid4vp://?${parameters}`
}
