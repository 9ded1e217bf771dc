import { EVERYTHING, type Rights } from '../base.ts'

/**
 * Accounts of people and their organizations. They belong to no tenant, so that the system role alone has them; each is
 * written and found in one statement (activities/administration).
 */
export const RIGHTS = {
  accounts: { system: EVERYTHING },
  account_registrations: { system: EVERYTHING },
  account_tokens: { system: EVERYTHING },
  account_sessions: { system: EVERYTHING },
  account_attempts: { system: EVERYTHING },
  account_mails: { system: EVERYTHING },
  account_authenticators: { system: EVERYTHING },
  account_recovery_codes: { system: EVERYTHING },
  organizations: { system: EVERYTHING },
  organization_members: { system: EVERYTHING },
  organization_invitations: { system: EVERYTHING },
} satisfies Rights
