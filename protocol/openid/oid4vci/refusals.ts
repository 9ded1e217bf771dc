import { type FieldError, Refusal } from '../../errors.ts'

/**
 * Errors that wallets know, by the standards' codes (RFC 6749, section 5.2; RFC 6750, section 3.1; OpenID4VCI 1.0, sections
 * 8.3.1.2, 9.3 and 11.3). A refusal `wallet.<code>` is answered as `{"error": "<code>"}`.
 */
export type WalletError =
  | 'invalid_request'
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

const PREFIX = 'wallet.'

export const walletRefusal = (
  code: WalletError,
  message: string,
  errors: FieldError[] = [],
  options?: ErrorOptions,
): Refusal => new Refusal(`${PREFIX}${code}`, message, errors, options)

/** The standards' code of a refusal for wallets; undefined for any other refusal. */
export const walletErrorOf = (code: string): string | undefined =>
  code.startsWith(PREFIX) ? code.slice(PREFIX.length) : undefined

/** A refusal that names one member of the request. */
export const refuseMember = (code: WalletError, path: string, rule: string, message: string): Refusal =>
  walletRefusal(code, `${path === '' ? 'The request' : path} is not valid: ${message}.`, [
    { path, code: rule, message },
  ])
