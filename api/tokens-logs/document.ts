import type { TOKEN_AND_LOG_OPERATIONS } from '../../protocol/tokens-logs/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref, text } from '../frame/openapi/json.ts'
import type { Schema } from '../frame/openapi/schemas.ts'

const credentials = (id: string, secret: string, grant: string): Schema => ({
  type: 'object',
  required: [id, secret, grant],
  properties: {
    [id]: { ...text(255, 1), description: 'Id of the client.' },
    [secret]: { ...text(1024, 1), description: 'Secret of the client.' },
    [grant]: { type: 'string', enum: ['client_credentials'] },
    scope: {
      ...text(2048),
      nullable: true,
      description: 'Scopes, separated by spaces. Default: all scopes of the client.',
    },
    audience: { ...text(2048), description: 'Not used: the only audience is this API.' },
  },
  additionalProperties: false,
})

/** A line of the export. */
const LINE = {
  category: 'credential-web-semantic',
  data: '{}',
  hash: '8d7c1f4d0c2f8c4b9f8f4a06a2f34bb9c6d7d3a82a1fbdfb4f8f4a06a2f34bb9',
  id: '9f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  metadata: '{"id":"2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8"}',
  objectIds: ['2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'],
  position: 4711,
  previousHash: '5b1f4d0c2f8c4b9f8f4a06a2f34bb9c6d7d3a82a1fbdfb4f8f4a06a2f34bb9c6',
  requestId: '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  tenantId: '3c0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  timestamp: '2027-01-15T12:00:00.000000Z',
  type: 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
}

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const TOKEN_AND_LOG_DOCUMENT: AreaDocument<keyof typeof TOKEN_AND_LOG_OPERATIONS | 'getTokenKeySet'> = {
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
    verifyLog: { from: 1 },
    exportLogs: {
      categories: [],
      types: [],
      ids: [],
      requestIds: [],
      dateFrom: '2027-01-01T00:00:00Z',
      dateTo: '2027-02-01T00:00:00Z',
    },
  },
  downloads: { exportLogs: { 'application/jsonl': `${JSON.stringify(LINE)}\n` } },
  answers: {
    getListOfLogs: {
      data: [
        {
          id: LINE.id,
          category: LINE.category,
          type: LINE.type,
          timestamp: '2027-01-15T12:00:00.000Z',
          data: '{}',
          metadata: '{"id":"2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8"}',
          requestId: '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
          objectIds: ['2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'],
          position: LINE.position,
          hash: LINE.hash,
        },
      ],
      limit: 20,
      totalCount: 1,
      totalPages: 1,
    },
    getTokenKeySet: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          kid: 'k1',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
  refusals: {
    getOAuthAccessToken: { 400: 'token.invalid_scope', 401: 'token.invalid_client' },
    verifyLog: { 400: 'log.head_invalid' },
  },
  schemas: {
    ClientCredentials: credentials('clientId', 'clientSecret', 'grantType'),
    OAuthClientCredentials: credentials('client_id', 'client_secret', 'grant_type'),
    TokenIn: {
      description:
        "Client credentials (RFC 6749 section 4.4), in this API's casing or in OAuth's own, as JSON or as a form. With id and secret in the Authorization header as Basic, the body has neither of them.",
      anyOf: [ref('ClientCredentials'), ref('OAuthClientCredentials')],
    },
    PublicJwk: {
      type: 'object',
      required: ['kty', 'kid'],
      properties: {
        kty: { type: 'string', enum: ['OKP'] },
        crv: { type: 'string', enum: ['Ed25519'] },
        kid: { type: 'string' },
        x: { type: 'string' },
        alg: { type: 'string' },
        use: { type: 'string' },
      },
      additionalProperties: true,
    },
  },
  forms: ['getOAuthAccessToken'],
  oauthErrors: { getOAuthAccessToken: 'invalid_request' },
  problems: [
    {
      400: {
        'log.head_invalid': {
          meaning: "The head was not signed by this platform, or is of another tenant's log.",
          remedy: 'Send the member jws of a head of getLogHead, as it was; or leave head out.',
        },
        'log.position_unknown': {
          meaning: "The position to begin at is beyond the end of the log's chain.",
          remedy: 'Send next of the answer before as from, or leave from out to begin at the first entry.',
        },
        'token.invalid_scope': {
          meaning: 'The scope is unknown, or the client does not have it.',
          remedy: 'Ask for some of the scopes that errors lists, or leave scope out for all scopes of the client.',
        },
        'token.unsupported_grant': {
          meaning: 'The grant type is not client_credentials.',
          remedy: 'Send client_credentials as grantType (grant_type in a form).',
        },
      },
      401: {
        'token.invalid': {
          meaning: 'The access token has expired, was changed, or was not issued here.',
          remedy: 'Get a new token with getOAuthAccessToken, and send it as Authorization: Bearer <token>.',
        },
        'token.invalid_client': {
          meaning: 'The client id or the client secret is wrong.',
          remedy:
            'Send both as they were given when the client was created; in the header they are base64 of id:secret.',
        },
        'token.missing': {
          meaning: 'The operation needs an access token.',
          remedy: 'Get a token with getOAuthAccessToken, and send it as Authorization: Bearer <token>.',
        },
      },
      403: {
        'token.insufficient_scope': {
          meaning: 'The access token does not have the scope that the operation requires.',
          remedy:
            'Get a token with the scope in the detail (getOAuthAccessToken, scope); the client must have that scope.',
        },
      },
      429: {
        'log.being_verified': {
          meaning: "The tenant's log is being verified by another request; one verification runs at a time.",
          remedy: 'Repeat the request after the time in Retry-After.',
        },
      },
    },
  ],
}
