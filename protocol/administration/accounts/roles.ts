import { SCOPES, type Scope } from '../../tokens-logs/index.ts'

/** What a member of an organization may do in its tenants. */
export const ROLES = ['admin', 'issuer', 'verifier', 'auditor'] as const

export type Role = (typeof ROLES)[number]

const FORMATS = ['mobile-credentials', 'semantic-credentials', 'compact-credentials', 'sd-jwt-credentials'] as const

const reads = SCOPES.filter((scope) => scope.endsWith(':read'))

/**
 * Scopes of each role in a tenant of the organization. A verifier reads what OpenID verifiers are set up with, but does
 * not get `openid:write`: it would offer credentials too.
 */
const SCOPES_OF_ROLES: Readonly<Record<Role, readonly Scope[]>> = {
  admin: SCOPES,
  issuer: [
    'dids:read',
    'dids:write',
    'domains:read',
    ...FORMATS.flatMap((format): Scope[] => [`${format}:read`, `${format}:write`]),
    'messaging:read',
    'messaging:write',
    'webhooks:read',
    'webhooks:write',
    'openid:read',
    'openid:write',
    'administration:read',
  ],
  verifier: ['dids:read', ...FORMATS.map((format): Scope => `${format}:read`), 'openid:read'],
  auditor: reads,
}

/** The scopes that every session has: of the person's own account and organizations. */
const OWN: readonly Scope[] = ['accounts:read', 'accounts:write']

const OF_OPERATORS: readonly Scope[] = ['platform:read', 'platform:write']

/** The scopes of a session. `role`: in the organization whose tenant the session is for; absent: it is for no tenant. */
export const scopesOfSession = ({ role, isOperator }: { role?: Role | undefined; isOperator: boolean }): Scope[] => [
  ...(role ? SCOPES_OF_ROLES[role] : []),
  ...OWN,
  ...(isOperator ? OF_OPERATORS : []),
]

export const isRole = (text: string): text is Role => ROLES.some((role) => role === text)
