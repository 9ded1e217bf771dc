import type { CLAIM_SOURCE_OPERATIONS } from '../../protocol/claim-sources/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { CLAIM_SOURCE_SCHEMAS } from './schemas.ts'
import { CLAIM_SOURCE } from './wire.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const CLAIM_SOURCE_DOCUMENT: AreaDocument<keyof typeof CLAIM_SOURCE_OPERATIONS> = {
  examples: {
    createClaimSource: {
      name: 'Student registry',
      url: 'https://claims.university.example/students',
      request_method: 'POST',
      request_parameters: {
        student_id: { map_from: 'claims.student_id' },
        faculty: { map_from: 'claims.faculty', default_value: 'science' },
      },
      authorization: { ApiKey: { type: 'api-key', value: '6hrFDATxrG9w14QY9wwnmVhLE0Wg6LIvm1J7x' } },
    },
    updateClaimSource: {
      name: 'Student registry',
      url: 'https://claims.university.example/students',
      request_method: 'GET',
      request_parameters: { student_id: { map_from: 'claims.student_id' } },
      authorization: {
        OAuthClientCredentials: {
          type: 'oauth-client-credentials',
          client_id: 'countersign',
          client_secret: '6hrFDATxrG9w14QY9wwnmVhLE0Wg6LIvm1J7x',
          token_endpoint: 'https://login.university.example/oauth/token',
          token_endpoint_auth_method: 'client_secret_basic',
          scope: 'claims:read',
        },
      },
    },
  },
  answers: {
    getClaimSourceList: { data: [CLAIM_SOURCE], limit: 20, total_count: 1, total_pages: 1 },
  },
  notFound: { '/v1/claim-sources/{id}': 'claim_source.not_found' },
  located: ['createClaimSource'],
  refusals: {
    createClaimSource: { 400: 'claim_source.invalid_url', 409: 'claim_source.too_many' },
    updateClaimSource: { 400: 'claim_source.invalid_authorization' },
  },
  schemas: CLAIM_SOURCE_SCHEMAS,
  problems: [
    {
      400: {
        'claim_source.id_differs': {
          meaning: 'The id or org_id in the body is not that of the claim source in the path.',
          remedy: 'Send the id and org_id that getClaimSource shows, or leave both out.',
        },
        'claim_source.invalid_authorization': {
          meaning:
            'The authorization is neither an ApiKey nor OAuthClientCredentials that can be used; errors names the place.',
          remedy:
            'Send one of the two with its secret. A header or a secret has only printable characters of ASCII. When the URL, the header or the token endpoint changes its server, send the secret again.',
        },
        'claim_source.invalid_name': {
          meaning: 'The name of the claim source is not one line of text.',
          remedy: 'Send a name of 1 to 255 characters without line breaks.',
        },
        'claim_source.invalid_parameters': {
          meaning: 'A request parameter breaks a rule; errors names the place.',
          remedy:
            'Give each of at most 50 parameters map_from (a path such as claims.student_id), default_value, or both.',
        },
        'claim_source.invalid_url': {
          meaning: 'The platform does not call this URL or token endpoint; errors names the broken rule.',
          remedy:
            'Send an https URL with a host name that can be called from the internet, and no IP address, query or user info, such as https://claims.university.example/students.',
        },
      },
      404: {
        'claim_source.not_found': {
          meaning: 'The tenant has no such claim source.',
          remedy: 'Take the id from getClaimSourceList, with a token of the tenant that created the claim source.',
        },
      },
      409: {
        'claim_source.too_many': {
          meaning: 'The tenant has as many claim sources as it can have.',
          remedy: 'Delete a claim source with deleteClaimSource, then create the other one.',
        },
      },
    },
  ],
}
