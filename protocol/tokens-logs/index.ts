/** The areas that access tokens grant, each to read and to write (specification, What the service does). */
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

const known = new Set<string>(SCOPES)

/** The scopes of an OAuth 2.0 scope parameter (RFC 6749 section 3.3), without repetitions; undefined for an unknown one. */
export function parseScopes(text: string): Scope[] | undefined {
  const asked = [...new Set(text.split(' ').filter(Boolean))]
  return asked.every((scope): scope is Scope => known.has(scope)) ? asked : undefined
}
