import { ALL_SCOPES, type Area, type Scope } from '../../../protocol/tokens-logs/index.ts'

const THINGS: Readonly<Record<Area, string>> = {
  dids: 'DIDs',
  domains: 'custom domains',
  'mobile-credentials': 'mobile credentials',
  'semantic-credentials': 'web semantic credentials, their templates, batches and status, and presentations',
  'compact-credentials': 'compact credentials',
  'sd-jwt-credentials': 'SD-JWT VC credentials and their templates',
  messaging: 'inboxes and messages',
  webhooks: 'webhooks',
  logs: 'the log',
  openid: 'OpenID Connect',
  administration: 'settings and OAuth 2.0 clients of the tenant, and claim sources',
  accounts: "the person's own account and organizations",
  platform: 'tenants, organizations and content of the platform, for its operators',
}

const describe = (scope: Scope): string => {
  const [area, access] = scope.split(':') as [Area, 'read' | 'write']
  return access === 'read' ? `Read and check: ${THINGS[area]}.` : `Create, change and delete: ${THINGS[area]}.`
}

/**
 * The one security scheme of the document: OpenAPI 3.0 has scopes for OAuth 2.0 alone, and Swagger UI gets a token by
 * itself with it (D-257).
 */
export const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'oauth2',
    description:
      'Send the access token as `Authorization: Bearer …`. A client gets one with its id and its secret, and a token has the requested scopes, or all that the client holds.',
    flows: {
      clientCredentials: {
        tokenUrl: '/v1/auth/token',
        scopes: Object.fromEntries(ALL_SCOPES.map((scope) => [scope, describe(scope)])),
      },
    },
  },
} as const

/** Names the one scheme in place of the controllers' names, which say besides who may do without a token. */
export const requirementsOf = (security: readonly Record<string, string[]>[]): Record<string, string[]>[] =>
  security.map((scheme) => ({ bearerAuth: Object.values(scheme).flat() }))
