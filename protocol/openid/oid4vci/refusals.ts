import { type FieldError, Refusal } from '../../errors.ts'

/**
 * Errors that wallets know, by the standards' codes (RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, section 3.1; RFC 9101;
 * RFC 9449; draft-ietf-oauth-attestation-based-client-auth-11; OpenID4VCI 1.0, sections 8.3.1.2, 9.3 and 11.3). A refusal `wallet.<code>` is answered as `{"error": "<code>"}`;
 * what ends with `_for_token` is that code at a resource, where it has another status.
 */
export type WalletError =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'invalid_request_uri'
  | 'invalid_dpop_proof'
  | 'invalid_dpop_proof_for_token'
  | 'use_dpop_nonce'
  | 'use_dpop_nonce_for_token'
  | 'use_attestation_challenge'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_authorization_details'
  | 'invalid_token'
  | 'invalid_credential_request'
  | 'unknown_credential_configuration'
  | 'unknown_credential_identifier'
  | 'invalid_proof'
  | 'invalid_nonce'
  | 'invalid_encryption_parameters'
  | 'credential_request_denied'
  | 'invalid_transaction_id'
  | 'invalid_notification_id'
  | 'invalid_notification_request'

export const walletRefusal = (
  code: WalletError,
  message: string,
  errors: FieldError[] = [],
  options?: ErrorOptions,
): Refusal => new Refusal(`wallet.${code}`, message, errors, options)

/** A refusal that names one member of the request. */
export function refuseMember(code: WalletError, path: string, rule: string, message: string): Refusal {
  const what = path === '' ? 'The request' : path
  return new Refusal(`wallet.${code}`, `${what} is not valid: ${message}.`, [{ path, code: rule, message }])
}
