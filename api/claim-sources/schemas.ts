import { ref } from '../frame/openapi/json.ts'
import { LABEL_PATTERN } from '../frame/openapi/patterns.ts'
import { nullable, type Schema, type Schemas } from '../frame/openapi/schemas.ts'
import { urlWithFragment, urlWithQuery } from '../frame/openapi/urls.ts'

/** An object with these members and no others. */
const only = (required: string[], properties: Schema): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

const choice = (value: string): Schema => nullable({ type: 'string', enum: [value] })

const SECRET_IS = 'The secret. Responses show stars, and the last 5 characters of a secret of 16 characters or more.'

/** What callers should send, in place of the types that the API reads. */
export const CLAIM_SOURCE_SCHEMAS: Schemas = {
  ClaimSourceName: {
    type: 'string',
    description: 'One line, for people; something of it can be seen.',
    pattern: LABEL_PATTERN,
    minLength: 1,
    maxLength: 255,
    example: 'Student registry',
  },
  ClaimSourceUrl: urlWithFragment(
    'An https URL with a host name that can be called from the internet; an internationalised one is stored in ASCII. No IP address, no query, no user info. A port and a fragment are dropped.',
    'https://claims.university.example/students',
  ),
  TokenEndpointUrl: urlWithQuery(
    'An https URL with a host name that can be called from the internet, and no fragment.',
    'https://login.university.example/oauth/token',
  ),
  ParameterPath: {
    type: 'string',
    description:
      'Path of a value: claims.x for a claim of the user or of the offer, authenticationProvider.subjectId or .url, or credentialConfiguration.x. A path that begins otherwise is below claims.',
    maxLength: 512,
    pattern: '^[^.]+(\\.[^.]+)*$',
    example: 'claims.student_id',
  },
  ClaimSourceSecret: {
    type: 'string',
    description: SECRET_IS,
    pattern: '^[!-~]([ -~]{0,2046}[!-~])?$',
    example: '6hrFDATxrG9w14QY9wwnmVhLE0Wg6LIvm1J7x',
  },
  ApiKeyHeader: {
    type: 'string',
    description:
      'Name of the header that has the key. Refused are headers of framing and routing, cookies, and those that the platform sets itself.',
    pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    maxLength: 64,
    example: 'x-api-key',
  },
  TokenEndpointAuthMethodName: {
    type: 'string',
    description: 'How the client proves itself to the token endpoint. Default: client_secret_basic.',
    enum: ['client_secret_basic', 'client_secret_post'],
  },
  DefaultValue: { description: 'Any JSON value except null, of at most 4096 characters.', not: { enum: [null] } },
  RequestParameterIn: {
    anyOf: [
      only(['map_from'], { map_from: ref('ParameterPath'), default_value: {} }),
      only(['default_value'], { default_value: ref('DefaultValue') }),
    ],
  },
  ApiKeyIn: only(['value'], {
    type: choice('api-key'),
    value: ref('ClaimSourceSecret'),
    header: nullable({ allOf: [ref('ApiKeyHeader')] }),
  }),
  OAuthClientCredentialsIn: only(['client_id', 'client_secret', 'token_endpoint'], {
    type: choice('oauth-client-credentials'),
    client_id: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255, example: 'countersign' },
    client_secret: { type: 'string', description: SECRET_IS, pattern: '^[ -~]{1,1024}$' },
    token_endpoint: ref('TokenEndpointUrl'),
    token_endpoint_auth_method: nullable({ allOf: [ref('TokenEndpointAuthMethodName')] }),
    audience: nullable({ type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: 2048 }),
    scope: nullable({
      type: 'string',
      pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
      maxLength: 1000,
      example: 'claims:read',
    }),
  }),
  ClaimSourceAuthorization: {
    description: 'Exactly one of the two.',
    anyOf: [
      only(['ApiKey'], { ApiKey: ref('ApiKeyIn') }),
      only(['OAuthClientCredentials'], { OAuthClientCredentials: ref('OAuthClientCredentialsIn') }),
    ],
  },
}
