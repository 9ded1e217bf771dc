import type { ACCOUNT_OPERATIONS } from '../../../protocol/administration/accounts/operations.ts'
import type { AreaDocument, ProblemTable } from '../../frame/openapi/document.ts'
import { text } from '../../frame/openapi/json.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import type { Schemas } from '../../frame/openapi/schemas.ts'
import { ACCOUNT, SESSION } from './wire.ts'

type Document = AreaDocument<keyof typeof ACCOUNT_OPERATIONS>

const PASSWORD = 'seven green bicycles at noon'

const EXAMPLES: Document['examples'] = {
  registerUser: {
    email: ACCOUNT.email,
    first_name: ACCOUNT.first_name,
    middle_name: null,
    last_name: ACCOUNT.last_name,
    password: PASSWORD,
  },
  verifyEmail: { token: 'q2Yp0Jc8m1vK5sT7wXz4bN6hR9dF3gLaUeIoQyViBjM', password: 'seven green bicycles at noon' },
  loginUser: { email: ACCOUNT.email, password: PASSWORD },
  requestPasswordReset: { email: ACCOUNT.email },
  resetPassword: { token: 'q2Yp0Jc8m1vK5sT7wXz4bN6hR9dF3gLaUeIoQyViBjM', password: 'nine blue tricycles at dawn' },
  changePassword: { password: PASSWORD, new_password: 'nine blue tricycles at dawn' },
  enrolAuthenticator: { password: PASSWORD },
  confirmAuthenticator: { totp: '492039' },
  removeAuthenticator: { password: PASSWORD },
  acceptInvitation: { token: 'q2Yp0Jc8m1vK5sT7wXz4bN6hR9dF3gLaUeIoQyViBjM' },
  eraseOwnAccount: { password: PASSWORD },
  refreshSession: {},
  updateOwnAccount: { first_name: 'Augusta', middle_name: 'Ada', last_name: 'King' },
}

const ANSWERS: Document['answers'] = {
  listOwnSessions: { data: [SESSION], limit: 20, total_count: 1, total_pages: 1 },
}

const REFUSALS: Document['refusals'] = {
  registerUser: { 429: 'login.too_many' },
  requestPasswordReset: { 429: 'login.too_many' },
  loginUser: { 401: 'login.refused', 403: 'session.tenant_refused', 429: 'login.too_many' },
  refreshSession: { 401: 'session.invalid', 403: 'session.cross_site', 409: 'session.refreshed' },
  logoutUser: { 403: 'session.cross_site' },
}

const NOT_FOUND = { '/v1/account/sessions/{id}': 'session.not_found' }

const SCHEMAS: Schemas = {
  EmailAddress: {
    type: 'string',
    description: 'An e-mail address; case does not matter, and an internationalised domain is read as its ASCII form.',
    format: 'email',
    minLength: 3,
    maxLength: 254,
    example: ACCOUNT.email,
  },
  PersonName: {
    type: 'string',
    description: 'One line; something of it can be seen.',
    pattern: LABEL_PATTERN,
    minLength: 1,
    maxLength: 255,
  },
  Password: {
    ...text(128, 8),
    description: '8 to 128 characters; compared after Unicode normalisation (NFKC). No rule about kinds of characters.',
    format: 'password',
  },
  OneTimeCode: { ...text(32, 1), description: '6 digits of an authenticator, or a recovery code.', example: '492039' },
  MailedToken: { ...text(128, 1), description: 'The token of the link in a mail.' },
}

const PROBLEMS: ProblemTable = {
  400: {
    'account.invalid': {
      meaning: 'Members of the account break a rule; errors names each of them.',
      remedy:
        'Send an e-mail address with an ASCII local part, names of one line, and a password of 8 to 128 characters that is no common one and neither name nor address.',
    },
    'account.code_wrong': {
      meaning: 'The code of the authenticator is not right, or was used before.',
      remedy: 'Send the digits that the authenticator shows now, from a device whose clock is right.',
    },
    'account.password_wrong': {
      meaning: 'The password is not that of the account whose access token was sent.',
      remedy: 'Send the present password, or set a new one by requestPasswordReset.',
    },
    'account.token_invalid': {
      meaning: 'The token of the mail was used before, has expired, or was altered.',
      remedy: 'Open the link of the newest mail. If its time is over, ask for another one.',
    },
  },
  401: {
    'login.code_required': {
      meaning: 'Address and password are right, and the account has an authenticator.',
      remedy: 'Send the code of the authenticator, or a recovery code, as totp.',
    },
    'login.code_wrong': {
      meaning: 'Address and password are right; the code is not, or was used before.',
      remedy: 'Wait for the next code of the authenticator, or send a recovery code that was not used.',
    },
    'login.refused': {
      meaning: 'No account with this address and password can log in: one answer for every reason.',
      remedy:
        'Correct the address or the password. After a registration, confirm the address with the link in the mail.',
    },
    'session.invalid': {
      meaning: 'The session has ended: by logout, by its age, or because the account was changed.',
      remedy: 'Log in again with loginUser.',
    },
    'session.reused': {
      meaning: 'A refresh token came that was used before. Somebody may have copied it, so the session was ended.',
      remedy: 'Log in again, and end sessions that are not yours with endOwnSession.',
    },
  },
  403: {
    'account.session_required': {
      meaning: 'The operation is about the account of a person, and the access token is of a program.',
      remedy: 'Send the access token of loginUser or refreshSession.',
    },
    'session.cross_site': {
      meaning:
        'A request with the cookie came from a page elsewhere, or without the header that such a page cannot send.',
      remedy: 'Send the header X-Requested-With, from a page under the address of the platform (PUBLIC_URL).',
    },
    'session.tenant_refused': {
      meaning: 'The account is no member of an organization with this tenant.',
      remedy: 'Send the id of a tenant that getOwnAccount lists, or null for no tenant.',
    },
  },
  404: {
    'account.not_found': {
      meaning: 'The account of the access token was deleted.',
      remedy: 'Register again, or log in with another account.',
    },
    'session.not_found': {
      meaning: 'The account has no such session, or it has ended.',
      remedy: 'Take the id from listOwnSessions.',
    },
  },
  409: {
    'account.organization_left': {
      meaning: 'Without the account an organization with other members or tenants has no administrator.',
      remedy: 'Make another member an administrator with updateOrganizationMember, then repeat the request.',
    },
    'account.totp_enrolled': {
      meaning: 'The account has a confirmed authenticator already.',
      remedy: 'Remove it with removeAuthenticator, then enrol the other one.',
    },
    'account.totp_not_enrolled': {
      meaning: 'The account has no authenticator.',
      remedy: 'Enrol one with enrolAuthenticator.',
    },
    'session.refreshed': {
      meaning: 'Another request, as of a second tab, has refreshed the session a moment ago.',
      remedy: 'Repeat the request: the browser has the new cookie by then.',
    },
  },
  429: {
    'login.too_busy': {
      meaning: 'Too many passwords wait to be checked at this moment.',
      remedy: 'Repeat the request after the seconds in Retry-After.',
    },
    'login.too_many': {
      meaning:
        'Too many failed attempts at this account, whether it exists or not, or too many requests from this address.',
      remedy:
        'Wait for the seconds in Retry-After. The owner may use a browser that logged in before, which is counted apart. Operators set LOGIN_FAILURES_PER_MINUTE and ACCOUNT_REQUESTS_PER_HOUR.',
    },
  },
}

/** Facts of the operations of accounts, sessions and logins. */
export const ACCOUNT_DOCUMENT: Document = {
  examples: EXAMPLES,
  answers: ANSWERS,
  refusals: REFUSALS,
  notFound: NOT_FOUND,
  schemas: SCHEMAS,
  problems: [PROBLEMS],
}
