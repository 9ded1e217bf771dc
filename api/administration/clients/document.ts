import { MAX_GRACE_SECONDS, MAX_OAUTH2_CLIENTS } from '../../../activities/administration/clients/lifecycle.ts'
import type { CLIENT_OPERATIONS } from '../../../protocol/administration/clients/operations.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import { OAUTH2_CLIENT } from './wire.ts'

/** Facts of the operations of clients. */
export const CLIENT_DOCUMENT: AreaDocument<keyof typeof CLIENT_OPERATIONS> = {
  examples: {
    createOAuth2Client: {
      description: 'Signs degrees when they are conferred',
      name: 'Student registry',
      scopes: ['semantic-credentials:read', 'semantic-credentials:write'],
    },
    updateOAuth2Client: {
      name: 'Student registry',
      scopes: ['semantic-credentials:read'],
      reset_secret: true,
      secret_grace_seconds: 3600,
    },
  },
  answers: {
    getOAuth2Clients: { data: [OAUTH2_CLIENT], limit: 20, totalCount: 1, totalPages: 1 },
  },
  notFound: { '/v1/oauth2/clients/{id}': 'oauth_client.not_found' },
  located: ['createOAuth2Client'],
  refusals: {
    createOAuth2Client: { 400: 'oauth_client.invalid', 409: 'oauth_client.too_many' },
    updateOAuth2Client: { 400: 'oauth_client.invalid' },
  },
  schemas: {
    OAuth2ClientName: {
      type: 'string',
      description: 'One line, for people; something of it can be seen.',
      pattern: LABEL_PATTERN,
      minLength: 1,
      maxLength: 255,
      example: 'Student registry',
    },
    OAuth2ClientDescription: {
      type: 'string',
      description: 'For people; may be empty.',
      pattern: '^[^\\u0000]*$',
      maxLength: 1000,
      example: 'Signs degrees when they are conferred',
    },
    GrantedScopes: {
      type: 'array',
      description: 'Scopes that the access token of this request has as well, or that the client has already.',
      items: { type: 'string', enum: [...SCOPES] },
      maxItems: 100,
      example: ['semantic-credentials:read'],
    },
    SecretGraceSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'A week at most; only with a new secret.',
      minimum: 0,
      maximum: MAX_GRACE_SECONDS,
      example: 3600,
    },
  },
  problems: [
    {
      400: {
        'oauth_client.invalid': {
          meaning: 'A member of the client breaks a rule; errors names it.',
          remedy:
            'Send a name of one line, a description of at most 1000 characters, and secret_grace_seconds only with reset_secret true.',
        },
      },
      403: {
        'oauth_client.scope_beyond_caller': {
          meaning:
            'The client would get, or has, a scope that the access token of this request does not have. Whoever has its secret has its scopes.',
          remedy: 'Send the request with a token that has all scopes of the client, or give the client fewer.',
        },
      },
      404: {
        'oauth_client.not_found': {
          meaning: 'The tenant has no such client.',
          remedy: 'Take the id from getOAuth2Clients, with a token of the tenant that the client belongs to.',
        },
      },
      409: {
        'oauth_client.too_many': {
          meaning: `The tenant has ${MAX_OAUTH2_CLIENTS} clients, which is the most.`,
          remedy: 'Delete a client with deleteOAuth2Client, then create the other one.',
        },
      },
    },
  ],
}
