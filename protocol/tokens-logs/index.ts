/** The areas of access tokens, each with a scope to read and one to write (specification, What the service does). */
export const AREAS = [
  'dids',
  'domains',
  'mobile-credentials',
  'semantic-credentials',
  'compact-credentials',
  'messaging',
  'webhooks',
  'logs',
  'openid',
  'administration',
] as const

export type Area = (typeof AREAS)[number]
export type Scope = `${Area}:${'read' | 'write'}`

export const SCOPES: readonly Scope[] = AREAS.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`])

const SCOPE_NAMES = new Set<string>(SCOPES)

/**
 * Returns the scopes of an OAuth 2.0 scope parameter (RFC 6749 section 3.3), each once; undefined if one is unknown.
 */
export function parseScopes(text: string): Scope[] | undefined {
  const scopes = [...new Set(text.split(' ').filter(Boolean))]
  return scopes.every((scope): scope is Scope => SCOPE_NAMES.has(scope)) ? scopes : undefined
}
