const category = 'account'

/**
 * Operations of accounts, as protocol/operations.ts describes them. Those without a scope are for people who have not
 * logged in; their entries are in the log of the first tenant.
 */
export const ACCOUNT_OPERATIONS = {
  registerUser: { name: 'ACCOUNT_REGISTER', category, changes: true },
  verifyEmail: { name: 'ACCOUNT_EMAIL_VERIFY', category, changes: true },
  requestPasswordReset: { name: 'ACCOUNT_PASSWORD_RESET_REQUEST', category, changes: true },
  resetPassword: { name: 'ACCOUNT_PASSWORD_RESET', category, changes: true },
  loginUser: { name: 'ACCOUNT_LOGIN', category },
  refreshSession: { name: 'ACCOUNT_SESSION_REFRESH', category },
  logoutUser: { name: 'ACCOUNT_LOGOUT', category },
  getOwnAccount: { scope: 'accounts:read', name: 'ACCOUNT_RETRIEVE', category },
  updateOwnAccount: { scope: 'accounts:write', name: 'ACCOUNT_UPDATE', category, changes: true },
  listOwnSessions: { scope: 'accounts:read', name: 'ACCOUNT_SESSION_RETRIEVE_LIST', category },
  endOwnSession: { scope: 'accounts:write', name: 'ACCOUNT_SESSION_END', category, changes: true },
  changePassword: { scope: 'accounts:write', name: 'ACCOUNT_PASSWORD_UPDATE', category, changes: true },
  enrolAuthenticator: { scope: 'accounts:write', name: 'ACCOUNT_TOTP_CREATE', category, changes: true },
  confirmAuthenticator: { scope: 'accounts:write', name: 'ACCOUNT_TOTP_CONFIRM', category, changes: true },
  removeAuthenticator: { scope: 'accounts:write', name: 'ACCOUNT_TOTP_DELETE', category, changes: true },
  acceptInvitation: { scope: 'accounts:write', name: 'ACCOUNT_INVITATION_ACCEPT', category, changes: true },
  eraseOwnAccount: { scope: 'accounts:write', name: 'ACCOUNT_ERASE', category, changes: true },
} as const
