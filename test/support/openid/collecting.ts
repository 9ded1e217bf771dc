import { type Authorization, CALLBACK } from './authorization.ts'
import { createWalletKey, openWallet } from './wallet.ts'

export type Way = 'plain' | 'par' | 'dpop' | 'par and dpop'

/** From an offer with a login to the credential, as the foreign wallet does it. */
export async function collectAfterLogin(
  authorization: Authorization,
  template: string,
  way: Way,
  { holder = 'grace', offer = {} }: { holder?: string; offer?: object } = {},
) {
  const { id, uri } = await authorization.offered([template], offer)
  const keys = [await createWalletKey(), await createWalletKey()] as const
  const wallet = openWallet(keys)
  const { client } = wallet
  const credentialOffer = await client.resolveCredentialOffer(uri)
  const resolved = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
  // the library pushes wherever it can
  const withoutPar = resolved.authorizationServers.map(
    ({ pushed_authorization_request_endpoint: _par, ...rest }) => rest,
  )
  const issuerMetadata = way.includes('par') ? resolved : { ...resolved, authorizationServers: withoutPar }
  const dpop = way.includes('dpop')
    ? { signer: { method: 'jwk' as const, alg: keys[1].alg, publicJwk: keys[1].publicJwk } }
    : undefined
  const begun = await client.createAuthorizationRequestUrlFromOffer({
    credentialOffer,
    issuerMetadata,
    clientId: 'foreign-wallet',
    redirectUri: CALLBACK,
    additionalRequestPayload: { login_hint: holder },
    ...(dpop && { dpop }),
  })
  // the library sends no state
  const url = `${begun.authorizationRequestUrl}${way.includes('par') ? '' : '&state=of+the+wallet'}`
  const { location = '' } = await authorization.browser().follow(url, CALLBACK)
  const [server] = issuerMetadata.authorizationServers
  if (!server) throw new Error('no metadata of the authorization server')
  const answer = client.parseAndVerifyAuthorizationResponseRedirectUrl({
    url: location,
    authorizationServerMetadata: server,
  })
  if (!answer.code) throw new Error(`no code: ${location}`)
  const { accessTokenResponse, dpop: nextDpop } = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
    credentialOffer,
    issuerMetadata,
    authorizationCode: answer.code,
    pkceCodeVerifier: begun.pkce?.codeVerifier ?? '',
    redirectUri: CALLBACK,
    additionalRequestPayload: { client_id: 'foreign-wallet' },
    ...(dpop && { dpop: { ...dpop, ...begun.dpop } }),
  })
  const isBound = issuerMetadata.credentialIssuer.credential_configurations_supported[template]?.proof_types_supported
  const proofs = isBound
    ? { jwt: [(await wallet.prove(issuerMetadata, template, 'foreign-wallet'))[0] ?? ''] as [string] }
    : undefined
  const { credentialResponse } = await client.retrieveCredentials({
    issuerMetadata,
    accessToken: accessTokenResponse.access_token,
    credentialConfigurationId: template,
    ...(proofs && { proofs }),
    ...(nextDpop && { dpop: nextDpop }),
  })
  const credentials = (credentialResponse.credentials ?? []).map((each) =>
    typeof each === 'object' && 'credential' in each ? each.credential : each,
  )
  return { id, location, answer, accessTokenResponse, credentials, begun, key: keys[0] }
}
