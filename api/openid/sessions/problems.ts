import type { ProblemTable } from '../../frame/openapi/document.ts'

const STANDARD = 'Wallets read it as the error of the standard, whose code is the end of this one.'

/** Offers and sessions, and what wallets are answered. */
export const SESSION_PROBLEMS: ProblemTable = {
  400: {
    'openid_offer.claims_unfit': {
      meaning: 'The claims of the offer do not fit its templates: one is missing, or no template takes it.',
      remedy: 'Correct the claims that errors names, or change the templates.',
    },
    'openid_offer.invalid': {
      meaning: 'The offer cannot be made; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'wallet.credential_request_denied': {
      meaning: 'The issuer does not give the credential: it was issued already, or its issuance failed.',
      remedy: `Read the cause with getOpenIdSession, then call retryOpenIdSession or make a new offer. ${STANDARD}`,
    },
    'wallet.invalid_authorization_details': {
      meaning: 'The authorization_details of a request cannot be read, or name what was not offered.',
      remedy: `Send authorization_details as a list of objects with configurations of the offer. ${STANDARD}`,
    },
    'wallet.invalid_credential_request': {
      meaning: 'The credential request cannot be read.',
      remedy: `Correct the member that errors names. ${STANDARD}`,
    },
    'wallet.invalid_encryption_parameters': {
      meaning:
        'The encryption of a credential request, or the one that it wants for its answer, is not valid, or the tenant requires it and it is missing.',
      remedy: `Encrypt the request for a key of getCredentialIssuerMetadata, with jwk (alg ECDH-ES), enc and no other zip than DEF in credential_response_encryption. ${STANDARD}`,
    },
    'wallet.invalid_grant': {
      meaning:
        'A token request gives nothing. Its code is unknown, has ended or was used, or its transaction code, client_id, redirect_uri, code_verifier or key is wrong. Or its refresh token is unknown, has ended, is of another wallet or key, or the issuer has withdrawn or deleted what it is for.',
      remedy: `Send a refresh token with the client_id and the proof of the wallet that got it, or make a new offer with createOpenIdConfiguration. ${STANDARD}`,
    },
    'wallet.invalid_nonce': {
      meaning: 'The nonce of a proof is not of this issuer, has ended, or was used.',
      remedy: `Get a new one with getCredentialNonce for each request. ${STANDARD}`,
    },
    'wallet.invalid_notification_id': {
      meaning: 'The access token has no issuance with this notification_id.',
      remedy: `Send the notification_id of the credential response. ${STANDARD}`,
    },
    'wallet.invalid_notification_request': {
      meaning: 'The notification cannot be read.',
      remedy: `Correct the member that errors names. ${STANDARD}`,
    },
    'wallet.invalid_proof': {
      meaning: 'A proof of a key is missing or not valid; errors has the code of the broken rule.',
      remedy: `Sign a JWT of the type openid4vci-proof+jwt for the credential_issuer, with a nonce of getCredentialNonce. ${STANDARD}`,
    },
    'wallet.invalid_request': {
      meaning: 'The request for a code or a token cannot be read: errors names the member.',
      remedy: `Correct the member that errors names. ${STANDARD}`,
    },
    'wallet.invalid_transaction_id': {
      meaning: 'The access token has no pending issuance with this transaction_id.',
      remedy: `Send the transaction_id of the credential response. ${STANDARD}`,
    },
    'wallet.unknown_credential_configuration': {
      meaning: 'The offer has no such credential configuration, or its template was deleted.',
      remedy: `Ask for one of the credential configurations of the offer. ${STANDARD}`,
    },
    'wallet.unknown_credential_identifier': {
      meaning: 'The access token has no such credential_identifier.',
      remedy: `Ask for one of the credential_identifiers of the token response. ${STANDARD}`,
    },
    'wallet.unsupported_grant_type': {
      meaning: 'The grant type of a token request is not supported.',
      remedy: `Use the grant of the offer. ${STANDARD}`,
    },
  },
  401: {
    'wallet.invalid_token': {
      meaning:
        'The access token of a wallet is missing, unknown, of another key, or has ended: a later one of the same session or refresh token counts in its place.',
      remedy: `Send the newest token of exchangeCredentials as Authorization: Bearer <token>, or DPoP <token> with a proof; get another one by the refresh token, or begin with a new offer. ${STANDARD}`,
    },
  },
  404: {
    'openid_issuer.not_found': {
      meaning: 'No tenant of the platform has the host of the request.',
      remedy: 'Use the host of the credential_issuer of the offer.',
    },
    'openid_offer.unknown_configuration': {
      meaning:
        'The tenant has no template with an id of the offer, or one that makes envelopes (vc+jwt, vc+cose, vc+sd-jwt).',
      remedy:
        'Take the ids from getWebSemanticCredentialTemplateLists, getCompactSchemas, getCompactSemanticCredentialTemplates, listMobileCredentialTemplates or listSdJwtCredentialTemplates.',
    },
    'openid_reissuance.not_found': {
      meaning: 'The tenant has no such re-issuance, or it has ended.',
      remedy: 'Take the id from listOpenIdReissuances.',
    },
    'openid_session.not_found': {
      meaning: 'The tenant has no such session.',
      remedy: 'Take the id from listOpenIdSessions. A session is deleted 90 days after its end.',
    },
  },
  409: {
    'openid_reissuance.ended': {
      meaning: 'A wallet asked anew for a credential, and what let it have that has ended meanwhile.',
      remedy: 'Make a new offer with createOpenIdSession.',
    },
    'openid_reissuance.withdrawn': {
      meaning: 'A wallet asked anew for a credential of which the issuer has revoked or suspended the one before.',
      remedy: 'Make a new offer with createOpenIdSession, or lift the suspension.',
    },
    'openid_session.ended': {
      meaning: 'The session has ended already.',
      remedy: 'Make a new offer with createOpenIdConfiguration.',
    },
    'openid_session.nothing_failed': {
      meaning: 'No issuance of the session has failed, or the session has ended.',
      remedy:
        'Read the session with getOpenIdSession; where it has ended, make a new offer with createOpenIdConfiguration.',
    },
  },
}
