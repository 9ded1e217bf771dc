/** The areas of access tokens, each with a scope to read and one to write (specification, What the service does). */
export const AREAS = [
  'dids',
  'domains',
  'mobile-credentials',
  'semantic-credentials',
  'compact-credentials',
  'sd-jwt-credentials',
  'messaging',
  'webhooks',
  'logs',
  'openid',
  'administration',
] as const

/** Areas beside the tenants: a person's own account, and the operators' part. No tenant grants their scopes (D-590). */
export const PLATFORM_AREAS = ['accounts', 'platform'] as const

export type Area = (typeof AREAS)[number] | (typeof PLATFORM_AREAS)[number]
export type Scope = `${Area}:${'read' | 'write'}`

const scopesOf = (areas: readonly Area[]) => areas.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`])

/** The scopes that a tenant grants to its clients. */
export const SCOPES: readonly Scope[] = scopesOf(AREAS)

/** The scopes of a client of an operator. */
export const OPERATOR_SCOPES: readonly Scope[] = scopesOf(['platform'])

export const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...scopesOf(PLATFORM_AREAS)]

const SCOPE_NAMES = new Set<string>(ALL_SCOPES)

/**
 * A text as an `error_description`: with the characters that it may have (RFC 6749, sections 4.1.2.1 and 5.2), and `?` in
 * place of others.
 */
export const describedAs = (text: string): string =>
  text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')

/**
 * Returns the scopes of an OAuth 2.0 scope parameter (RFC 6749 section 3.3), each once; undefined if one is unknown.
 */
export function parseScopes(text: string): Scope[] | undefined {
  const scopes = [...new Set(text.split(' ').filter(Boolean))]
  return scopes.every((scope): scope is Scope => SCOPE_NAMES.has(scope)) ? scopes : undefined
}
