import type { ProblemTable } from '../../frame/openapi/document.ts'

const STANDARD = 'Wallets read it as the error of the standard, whose code is the end of this one.'

/** The authorization code grant, and registered wallets. */
export const AUTHORIZATION_PROBLEMS: ProblemTable = {
  400: {
    'authentication.other_browser': {
      meaning: 'A login comes back in another browser than the one in which it began.',
      remedy: 'Let the holder begin again from the wallet, in a browser that accepts cookies, and stay in it.',
    },
    'openid_offer.no_provider': {
      meaning: 'The offer needs a login, and the tenant has no authentication provider.',
      remedy: 'Create one with createAuthenticationProvider, or offer a pre-authorized code.',
    },
    'openid_wallet.invalid': {
      meaning: 'The wallet cannot be registered; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'openid_wallet_policy.invalid': {
      meaning: 'The policy of wallets cannot be set; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'openid_wallet_provider.invalid': {
      meaning: 'The wallet provider cannot be registered; errors names each place and rule.',
      remedy: 'Correct each member as its message says: a provider needs certificates, or keys with a kid.',
    },
    'wallet.access_denied': {
      meaning: 'The issuer does not give the wallet a code.',
      remedy: `Begin with a new offer of createOpenIdConfiguration, or allow wallets to begin by themselves with updateOpenIdWalletPolicy. ${STANDARD}`,
    },
    'wallet.invalid_dpop_proof': {
      meaning:
        'The DPoP proof of a request for a code or a token is not valid; errors has the code of the broken rule.',
      remedy: `Make a new proof for each request, with the nonce of the header DPoP-Nonce. ${STANDARD}`,
    },
    'wallet.invalid_request_uri': {
      meaning: 'The request_uri is unknown, of another wallet, was used, or has ended.',
      remedy: `Push the request again with pushAuthorizationRequest, and use the request_uri within 90 seconds, for one login. ${STANDARD}`,
    },
    'wallet.invalid_scope': {
      meaning: 'No scope of the request is one of a credential that can be given.',
      remedy: `Take the scope from getCredentialIssuerMetadata. ${STANDARD}`,
    },
    'wallet.request_not_supported': {
      meaning: 'The authorization request is a request object.',
      remedy: `Send the parameters themselves, or push them with pushAuthorizationRequest. ${STANDARD}`,
    },
    'wallet.unauthorized_client': {
      meaning: 'The tenant gives credentials to wallets with registered keys only.',
      remedy: `Register the wallet with createOpenIdWallet, or change updateOpenIdWalletPolicy. ${STANDARD}`,
    },
    'wallet.unsupported_response_type': {
      meaning: 'The response type of an authorization request is not code.',
      remedy: `Send response_type=code. ${STANDARD}`,
    },
    'wallet.use_attestation_challenge': {
      meaning: 'The proof of a wallet’s attestation has no challenge of this issuer, or one that has ended.',
      remedy: `Repeat the request with a new proof that has the challenge of the header OAuth-Client-Attestation-Challenge, or of getAttestationChallenge. ${STANDARD}`,
    },
    'wallet.use_dpop_nonce': {
      meaning: 'The DPoP proof has no nonce of this issuer, or one that has ended.',
      remedy: `Repeat the request with a new proof that has the nonce of the header DPoP-Nonce. ${STANDARD}`,
    },
  },
  401: {
    'wallet.invalid_client': {
      meaning:
        'The wallet did not authenticate: its client assertion, or the attestation of its provider, is missing, not valid, or was used.',
      remedy: `Register its keys with createOpenIdWallet, or its provider with createOpenIdWalletProvider; the wallet makes a new assertion (private_key_jwt) or proof for each request. ${STANDARD}`,
    },
    'wallet.invalid_dpop_proof_for_token': {
      meaning: 'The DPoP proof that an access token came with is not valid; errors has the code of the broken rule.',
      remedy: `Make a new proof for each request, of the key of the token, with its hash as ath. ${STANDARD}`,
    },
    'wallet.use_dpop_nonce_for_token': {
      meaning: 'The DPoP proof that an access token came with has no nonce of this issuer, or one that has ended.',
      remedy: `Repeat the request with a new proof that has the nonce of the header DPoP-Nonce. ${STANDARD}`,
    },
  },
  404: {
    'openid_wallet_provider.not_found': {
      meaning: 'The tenant has no such wallet provider.',
      remedy: 'Take the id from listOpenIdWalletProviders.',
    },
    'openid_wallet.not_found': {
      meaning: 'The tenant has registered no such wallet.',
      remedy: 'Take the id from listOpenIdWallets.',
    },
  },
  409: {
    'openid_wallet.exists': {
      meaning: 'The tenant has a wallet with this clientId already.',
      remedy: 'Change that one with updateOpenIdWallet.',
    },
    'openid_wallet_provider.too_many': {
      meaning: 'The tenant trusts as many wallet providers as it can.',
      remedy: 'Delete one with deleteOpenIdWalletProvider.',
    },
    'openid_wallet.too_many': {
      meaning: 'The tenant has registered as many wallets as it can.',
      remedy: 'Delete one with deleteOpenIdWallet.',
    },
  },
}
