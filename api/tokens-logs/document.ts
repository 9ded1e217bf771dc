import type { TOKEN_AND_LOG_OPERATIONS } from '../../protocol/tokens-logs/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'

/** What the generator cannot say of the operations of this area (api/frame/openapi/document.ts). */
export const TOKEN_AND_LOG_DOCUMENT: AreaDocument<keyof typeof TOKEN_AND_LOG_OPERATIONS> = {
  examples: {
    getOAuthAccessToken: {
      clientId: '7d0c5bfe-7a5b-49f3-9a1a-6c3f3f5c2a10',
      clientSecret: 'as it was told when the client was made',
      grantType: 'client_credentials',
      scope: 'semantic-credentials:read semantic-credentials:write',
    },
    getListOfLogs: {
      categories: ['credential-web-semantic'],
      types: [],
      ids: [],
      requestIds: [],
      dateFrom: '2027-01-01T00:00:00Z',
      dateTo: '2027-02-01T00:00:00Z',
    },
  },
  forms: ['getOAuthAccessToken'],
  problems: {
    400: {
      'token.invalid_scope': 'The scope asks for more than the client holds, or for what does not exist.',
      'token.unsupported_grant': 'The grant is not client_credentials.',
    },
    401: {
      'token.invalid': 'The access token has expired, was changed, or is not one of ours.',
      'token.invalid_client': 'The client id or the client secret is wrong.',
      'token.missing': 'The operation needs an access token.',
    },
    403: {
      'token.insufficient_scope': 'The access token lacks the scope that the operation needs.',
    },
  },
}
