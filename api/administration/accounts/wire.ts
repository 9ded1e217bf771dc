import type { OwnAccount } from '../../../activities/administration/accounts/own.ts'
import { VERIFICATION_HOURS } from '../../../activities/administration/accounts/registration.ts'
import type { Opened, SessionRecord } from '../../../activities/administration/accounts/sessions.ts'
import { RESET_SECONDS } from '../../../activities/administration/mails/resets.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

/**
 * An e-mail address; case does not matter.
 * @maxLength 508 expected an e-mail address of 254 characters at most
 */
export type EmailAddress = string

/** One line of 1 to 255 characters. */
export type PersonName = string

/**
 * 8 to 128 characters; compared after Unicode normalisation (NFKC).
 * @maxLength 512 expected 8 to 128 characters
 */
export type Password = string

/**
 * A secret of a mail.
 * @maxLength 128 expected the token of the mail
 */
export type MailedToken = string

export interface RegistrationIn {
  email: EmailAddress
  first_name: PersonName
  middle_name?: PersonName | null
  last_name: PersonName
  /** 8 to 128 characters: no common password, and not the name or the address. */
  password: Password
}

export interface RegistrationOut {
  /** The same whether the address has an account or not. */
  status: 'VERIFICATION_SENT'
  /** Seconds in which the link in the mail is good. */
  expires_in: Count
}

export interface VerificationIn {
  /** The token of the link in the mail. */
  token: MailedToken
  /** That of the registration. */
  password: Password
}

export interface VerificationOut {
  account_id: Uuid
}

/**
 * 6 digits of an authenticator, or a recovery code.
 * @maxLength 32 expected a code
 */
export type OneTimeCode = string

export interface LoginIn {
  email: EmailAddress
  password: Password
  /** The code of the account's authenticator, or a recovery code; needed where the account has one. */
  totp?: OneTimeCode | null
  /** The tenant that the session is for, of one of the account's organizations. null or absent: for none. */
  tenantId?: Uuid | null
}

export interface RefreshIn {
  /** Another tenant for the session; null: none. Absent: as it is. */
  tenantId?: Uuid | null
}

export interface PasswordResetIn {
  email: EmailAddress
}

export interface PasswordResetOut {
  /** The same whether the address has an account or not. */
  status: 'RESET_SENT'
  /** Seconds in which the link in the mail is good. */
  expires_in: Count
}

export interface NewPasswordIn {
  /** The token of the link in the mail. */
  token: MailedToken
  /** 8 to 128 characters: no common password, and not the name or the address. */
  password: Password
}

export interface PasswordChangeIn {
  /** The present one. */
  password: Password
  /** 8 to 128 characters: no common password, and not the name or the address. */
  new_password: Password
}

/** Who somebody is, once more. */
export interface OwnPasswordIn {
  /** The password of the account. */
  password: Password
}

export interface AuthenticatorOut {
  /** In base32, for an authenticator that reads no QR codes. */
  secret: string
  /** otpauth URI, for a QR code. */
  uri: string
}

export interface AuthenticatorCodeIn {
  /** 6 digits of the authenticator. */
  totp: OneTimeCode
}

export interface RecoveryCodesOut {
  /** Shown this once: each stands for one code of the authenticator. */
  recovery_codes: string[]
}

export interface InvitationTokenIn {
  /** The token of the link in the mail. */
  token: MailedToken
}

export interface MembershipOut {
  organization_id: Uuid
  /** admin, issuer, verifier or auditor. */
  role: string
}

export interface SessionTokenOut {
  access_token: string
  /** Seconds until the token ends. */
  expires_in: Count
  token_type: 'Bearer'
  /** The scopes of the token, separated by spaces. */
  scope: string
  account_id: Uuid
  /** The tenant that the session is for; null: for none. */
  tenant_id: Uuid | null
}

export interface AccountNamesIn {
  first_name: PersonName
  middle_name?: PersonName | null
  last_name: PersonName
}

export interface AccountTenantOut {
  id: Uuid
  name: string
  /** The label below the platform's own host. */
  subdomain: string
}

export interface AccountOrganizationOut {
  id: Uuid
  name: string
  /** admin, issuer, verifier or auditor. */
  role: string
  tenants: AccountTenantOut[]
}

export interface AccountOut {
  id: Uuid
  email: string
  first_name: string
  middle_name: string | null
  last_name: string
  /** An operator of the platform. */
  operator: boolean
  /** A login needs a code of an authenticator. */
  totp: boolean
  created_at: DateTime
  organizations: AccountOrganizationOut[]
}

export interface AccountSessionOut {
  id: Uuid
  created_at: DateTime
  last_used_at: DateTime
  expires_at: DateTime
  tenant_id: Uuid | null
  /** The session of this request. */
  current: boolean
}

export interface AccountSessionPageOut {
  data: AccountSessionOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const registeredToWire = (): RegistrationOut => ({
  status: 'VERIFICATION_SENT',
  expires_in: VERIFICATION_HOURS * 3600,
})

export const resetToWire = (): PasswordResetOut => ({ status: 'RESET_SENT', expires_in: RESET_SECONDS })

export const openedToWire = ({ accessToken, expiresIn, scopes, accountId, tenantId }: Opened): SessionTokenOut => ({
  access_token: accessToken,
  expires_in: expiresIn,
  token_type: 'Bearer',
  scope: scopes.join(' '),
  account_id: accountId,
  tenant_id: tenantId,
})

export const accountToWire = (account: OwnAccount): AccountOut => ({
  id: account.id,
  email: account.email,
  first_name: account.firstName,
  middle_name: account.middleName,
  last_name: account.lastName,
  operator: account.isOperator,
  totp: account.hasAuthenticator,
  created_at: account.createdAt.toISOString(),
  organizations: account.organizations,
})

export const sessionToWire = (session: SessionRecord): AccountSessionOut => ({
  id: session.id,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  tenant_id: session.tenantId,
  current: session.isCurrent,
})

export const namesIn = ({ first_name, middle_name, last_name }: AccountNamesIn) => ({
  firstName: first_name,
  middleName: middle_name,
  lastName: last_name,
})

export const REGISTRATION: RegistrationOut = { status: 'VERIFICATION_SENT', expires_in: 86400 }

export const VERIFICATION: VerificationOut = { account_id: '1f6f2c5e-7f0d-4b8a-9a52-5a4d2b1c0e9f' }

export const PASSWORD_RESET: PasswordResetOut = { status: 'RESET_SENT', expires_in: 3600 }

export const AUTHENTICATOR: AuthenticatorOut = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Countersign:ada%40university.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Countersign',
}

export const RECOVERY_CODES: RecoveryCodesOut = { recovery_codes: ['QK2X-7MZB-3LFA-R5TD'] }

export const MEMBERSHIP: MembershipOut = { organization_id: '3c0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f', role: 'issuer' }

export const SESSION_TOKEN: SessionTokenOut = {
  access_token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  expires_in: 600,
  token_type: 'Bearer',
  scope: 'accounts:read accounts:write',
  account_id: '1f6f2c5e-7f0d-4b8a-9a52-5a4d2b1c0e9f',
  tenant_id: null,
}

export const ACCOUNT: AccountOut = {
  id: '1f6f2c5e-7f0d-4b8a-9a52-5a4d2b1c0e9f',
  email: 'ada@university.example',
  first_name: 'Ada',
  middle_name: null,
  last_name: 'Lovelace',
  operator: false,
  totp: false,
  created_at: '2027-01-15T12:00:00.000Z',
  organizations: [
    {
      id: '3c0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
      name: 'Example University',
      role: 'admin',
      tenants: [{ id: '5a7d1c0e-93b1-4f27-8a64-0d2f6b7c8e91', name: 'Diplomas', subdomain: 'diplomas' }],
    },
  ],
}

export const SESSION: AccountSessionOut = {
  id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  created_at: '2027-01-15T12:00:00.000Z',
  last_used_at: '2027-01-15T12:10:00.000Z',
  expires_at: '2027-02-14T12:00:00.000Z',
  tenant_id: null,
  current: true,
}
