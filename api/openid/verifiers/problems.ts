import type { ProblemTable } from '../../frame/openapi/document.ts'

const STANDARD = 'Clients read it as the error of OAuth 2.0, whose code is the end of this one.'
const AGAIN = 'Begin the sign-in again, at the application.'

/** Verifiers, their clients, and sign-ins. */
export const VERIFIER_PROBLEMS: ProblemTable = {
  400: {
    'oidc_client.invalid': {
      meaning: 'The client of a verifier has values that cannot be used; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'oidc_token.invalid_grant': {
      meaning:
        'The code or the refresh token gives nothing: it is unknown, has ended, was used, is of another client, or its PKCE verifier or redirect URI is wrong.',
      remedy: `Begin a new sign-in at the authorization endpoint of the verifier. ${STANDARD}`,
    },
    'oidc_token.invalid_request': {
      meaning: 'The token request of a client cannot be read, or lacks a parameter.',
      remedy: `Correct the member that errors or the detail names. ${STANDARD}`,
    },
    'oidc_token.invalid_scope': {
      meaning: 'The token request asks for a scope that the refresh token does not have.',
      remedy: `Leave scope out, or ask for no more than before. ${STANDARD}`,
    },
    'oidc_token.unauthorized_client': {
      meaning: 'The client may not use this grant type.',
      remedy: `Add it to grantTypes with updateOidcVerifierClient. ${STANDARD}`,
    },
    'oidc_token.unsupported_grant_type': {
      meaning: 'The grant type is not supported.',
      remedy: `Use authorization_code or refresh_token. ${STANDARD}`,
    },
    'oidc_verifier.certificate_unfit': {
      meaning:
        'The certificates or the attestation of the verifier have expired, or are not of the key of its DID any more.',
      remedy:
        'Have the key certified again, and update the verifier with the new certificate_chain; or create another request.',
    },
    'oidc_verifier.did_unfit': {
      meaning:
        'The DID of the verifier cannot sign requests: it is not of the tenant, not COMPLETED, or has no fit key.',
      remedy: 'Create a DID with a p256 or ed25519 key with createDID, and name it as verifier_did.',
    },
    'oidc_verifier.invalid': {
      meaning: 'The verifier has values that cannot be used; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'oidc_verifier.template_unsuitable': {
      meaning: 'The presentation template of the verifier requires no credential.',
      remedy: 'Name a template with a required credential, by QueryByExample, QueryByFrame or DCQL.',
    },
    'sign_in.answer_malformed': {
      meaning: 'The answer of a wallet cannot be read.',
      remedy: 'Send a form with a JSON object of presentations, by the ids of the query in the request.',
    },
    'sign_in.not_presented': {
      meaning: 'No credential was presented in this sign-in, or it was begun elsewhere.',
      remedy: AGAIN,
    },
    'sign_in.not_yours': {
      meaning: 'The sign-in has ended, or it was begun in another browser.',
      remedy: AGAIN,
    },
    'sign_in.presentation_refused': {
      meaning: 'A presentation was not accepted; the detail names the first check that failed.',
      remedy: 'Present a credential that the template asks for, which is valid, and signed for this request.',
    },
    'sign_in.request_over': {
      meaning: 'The request to the wallet is not known, has ended, or was answered.',
      remedy: AGAIN,
    },
    'wallet_request.malformed': {
      meaning: 'What a wallet posted for its request cannot be read; the detail names the parameter.',
      remedy:
        'Send a form with the nonce and with the metadata as a JSON object, each at most once, as OpenID4VP 1.0 says.',
    },
    'wallet_request.unsupported': {
      meaning: 'By its metadata the wallet cannot take the request; the detail names what the verifier uses.',
      remedy: 'Ask for a format, or name the verifier and sign by a key, that the wallet supports.',
    },
  },
  401: {
    'oidc_token.invalid_client': {
      meaning: 'The client of a verifier did not authenticate: its id, its secret or its method is wrong.',
      remedy: `Use the id and the secret of createOidcVerifierClient, and its tokenEndpointAuthMethod. ${STANDARD}`,
    },
  },
  404: {
    'oidc_client.not_found': {
      meaning: 'The verifier has no such client.',
      remedy: 'Take the id from getListOfOidcVerifierClient.',
    },
    'oidc_verifier.not_found': {
      meaning: 'The tenant has no such verifier.',
      remedy: 'Take the id from indexOidcVerifier. A public address needs the host of the tenant as well.',
    },
    'oidc_verifier.template_not_found': {
      meaning: 'The tenant has no such presentation template.',
      remedy: 'Take the id from getWebSemanticPresentationTemplatesLists.',
    },
  },
  409: {
    'oidc_client.too_many': {
      meaning: 'The verifier has as many clients as it can have.',
      remedy: 'Delete one with deleteOidcVerifierClient, or create another verifier.',
    },
    'oidc_verifier.rotated_lately': {
      meaning: 'The verifier has new keys already, which do not sign yet.',
      remedy: 'Rotate them again after five minutes, if that is still needed.',
    },
    'oidc_verifier.too_many': {
      meaning: 'The tenant has as many verifiers as it can have.',
      remedy: 'Delete one with deleteOidcVerifier.',
    },
  },
}
