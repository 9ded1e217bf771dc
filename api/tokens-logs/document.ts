import type { TOKEN_AND_LOG_OPERATIONS } from '../../protocol/tokens-logs/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const TOKEN_AND_LOG_DOCUMENT: AreaDocument<keyof typeof TOKEN_AND_LOG_OPERATIONS> = {
  examples: {
    getOAuthAccessToken: {
      clientId: '7d0c5bfe-7a5b-49f3-9a1a-6c3f3f5c2a10',
      clientSecret: 'the secret from the creation of the client',
      grantType: 'client_credentials',
      scope: 'semantic-credentials:read semantic-credentials:write',
    },
    getListOfLogs: {
      categories: ['credential-web-semantic'],
      types: [],
      ids: [],
      requestIds: [],
      objectIds: [],
      dateFrom: '2027-01-01T00:00:00Z',
      dateTo: '2027-02-01T00:00:00Z',
    },
  },
  forms: ['getOAuthAccessToken'],
  problems: {
    400: {
      'token.invalid_scope': 'The scope is unknown, or the client does not have it.',
      'token.unsupported_grant': 'The grant type is not client_credentials.',
    },
    401: {
      'token.invalid': 'The access token has expired, was changed, or was not issued here.',
      'token.invalid_client': 'The client id or the client secret is wrong.',
      'token.missing': 'The operation needs an access token.',
    },
    403: {
      'token.insufficient_scope': 'The access token does not have the scope that the operation requires.',
    },
  },
}
