import type { OPENID_OPERATIONS } from '../../../protocol/openid/operations.ts'
import { KEPT_SECONDS, LIFETIME_SECONDS } from '../../../protocol/openid/presentations/requests.ts'
import type { ProblemTable } from '../../frame/openapi/document.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'
import type { OpenId4VpCreatedOut, OpenId4VpRequestOut, OpenId4VpRequestSummaryOut } from './wire.ts'

type Id = Extract<keyof typeof OPENID_OPERATIONS, `${string}OpenId4Vp${string}`>

const ID = '5b0c7f7e-8a1d-4f5b-9f0e-2c3d4e5f6a7b'
const VERIFIER_ID = '7d2f9a1c-4b6e-4c8d-a0f3-1e5b7c9d2f4a'
const REDIRECT = 'https://shop.example/checkout?order=42'
const CODE = 'xP5Jm1VfYhZ0u0kq8bYt0m3o1cC7S8a2n5b9d4e6f7g'
const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'
const URI = `openid4vp://?client_id=${encodeURIComponent(CLIENT_ID)}&request_uri=${encodeURIComponent(`https://issuer.example/v1/openid4vp/wallet/requests/${CODE}`)}`

const QUERY = {
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.example/identity'] },
      claims: [{ path: ['given_name'] }, { path: ['address', 'country'], values: ['NL'] }],
    },
  ],
}

const SUMMARY: OpenId4VpRequestSummaryOut = {
  id: ID,
  state: 'PENDING',
  clientId: CLIENT_ID,
  responseMode: 'direct_post.jwt',
  redirectUri: REDIRECT,
  failures: 0,
  failureCode: null,
  createdAt: '2027-01-04T09:00:00.000Z',
  expiresAt: '2027-01-04T09:10:00.000Z',
  endedAt: null,
  keptUntil: '2027-01-05T09:10:00.000Z',
  needsResponseCode: false,
}

const CREATED: OpenId4VpCreatedOut = {
  ...SUMMARY,
  uri: URI,
  qrCode: 'data:image/png;base64,iVBORw0KGgo=',
  sameDeviceUri: URI,
}

const VERIFIED: OpenId4VpRequestOut = {
  ...SUMMARY,
  state: 'VERIFIED',
  endedAt: '2027-01-04T09:02:00.000Z',
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      verified: true,
      checks: [
        { name: 'Signature', result: 'passed' },
        { name: 'KeyBinding', result: 'passed' },
        { name: 'query', result: 'passed' },
      ],
      reason: [],
      warnings: [],
      types: ['https://credentials.example/identity'],
      issuer: 'did:web:issuer.example',
      holder: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
      claims: { vct: 'https://credentials.example/identity', given_name: 'Ada', address: { country: 'NL' } },
    },
  ],
}

export const PRESENTATION_EXAMPLES: Partial<Record<Id, object>> = {
  createOpenId4VpRequest: { verifierId: VERIFIER_ID, dcqlQuery: QUERY, redirectUri: REDIRECT, expiresInSec: 600 },
  redeemOpenId4VpRequest: { responseCode: CODE },
}

export const PRESENTATION_ANSWERS: Partial<Record<Id, unknown>> = {
  createOpenId4VpRequest: CREATED,
  listOpenId4VpRequests: { data: [SUMMARY], limit: 20, totalCount: 1, totalPages: 1 },
  getOpenId4VpRequest: VERIFIED,
  redeemOpenId4VpRequest: VERIFIED,
}

export const PRESENTATION_NOT_FOUND: Readonly<Record<string, string>> = {
  '/v1/openid4vp/requests/{id}': 'openid_presentation.not_found',
}

export const PRESENTATION_REFUSALS: Partial<Record<Id, Readonly<Record<number, string>>>> = {
  createOpenId4VpRequest: { 400: 'openid_presentation.invalid', 404: 'oidc_verifier.not_found' },
  redeemOpenId4VpRequest: { 400: 'openid_presentation.response_code_wrong' },
}

const ID_SCHEMA: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,255}$' }
const IDS: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  items: { type: 'array', minItems: 1, maxItems: 100, items: ID_SCHEMA },
}

const STEP: Schema = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 255, nullable: true },
    { type: 'integer', format: 'int64', minimum: 0 },
  ],
}
const SCALAR: Schema = {
  anyOf: [{ type: 'string', minLength: 1 }, { type: 'integer', format: 'int64' }, { type: 'boolean' }],
}

const DCQL_CREDENTIAL: Schema = {
  type: 'object',
  required: ['id', 'format', 'meta'],
  properties: {
    id: ID_SCHEMA,
    format: { type: 'string', enum: ['dc+sd-jwt', 'mso_mdoc', 'ldp_vc'] },
    meta: {
      type: 'object',
      description: 'vct_values of dc+sd-jwt, doctype_value of mso_mdoc, type_values (IRIs) of ldp_vc.',
      properties: {
        vct_values: { type: 'array', items: { type: 'string' } },
        doctype_value: { type: 'string' },
        type_values: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
      },
      additionalProperties: false,
    },
    multiple: { type: 'boolean' },
    require_cryptographic_holder_binding: { type: 'boolean' },
    trusted_authorities: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        required: ['type', 'values'],
        properties: {
          type: { type: 'string', enum: ['aki'] },
          values: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' } },
        },
        additionalProperties: false,
      },
    },
    claims: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['path'],
        properties: {
          id: ID_SCHEMA,
          path: { type: 'array', minItems: 1, maxItems: 32, items: STEP },
          values: { type: 'array', minItems: 1, maxItems: 50, items: SCALAR },
          intent_to_retain: { type: 'boolean' },
        },
        additionalProperties: false,
      },
    },
    claim_sets: IDS,
  },
  additionalProperties: false,
}

const seconds = (description: string, { least, most }: { least: number; most: number }): Schema => ({
  type: 'integer',
  format: 'int64',
  description,
  minimum: least,
  maximum: most,
})

export const PRESENTATION_SCHEMAS: Readonly<Record<string, Schema>> = {
  OpenId4VpDcqlQuery: {
    type: 'object',
    description: 'A query of DCQL (OpenID4VP 1.0, section 6). Members that the standard does not have are refused.',
    required: ['credentials'],
    properties: {
      credentials: { type: 'array', minItems: 1, maxItems: 20, items: DCQL_CREDENTIAL },
      credential_sets: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: {
          type: 'object',
          required: ['options'],
          properties: { options: IDS, required: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
    example: QUERY,
  },
  OpenId4VpTransactionData: {
    type: 'array',
    description: 'What the holder agrees to with the key of a dc+sd-jwt (OpenID4VP 1.0, section 5.1).',
    minItems: 1,
    maxItems: 20,
    items: {
      type: 'object',
      required: ['type', 'credential_ids'],
      properties: {
        type: { type: 'string', minLength: 1 },
        credential_ids: { type: 'array', minItems: 1, items: ID_SCHEMA },
        transaction_data_hashes_alg: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', enum: ['sha-256', 'sha-384', 'sha-512'] },
        },
      },
      additionalProperties: true,
    },
    example: [{ type: 'https://bank.example/payment', credential_ids: ['identity'], amount: '12.00 EUR' }],
  },
  OpenId4VpRedirectUri: {
    type: 'string',
    description:
      'Where the wallet leads its holder on the device of the browser: an https URL of a public host, http on loopback, or a scheme such as com.example.app:. The platform adds response_code.',
    maxLength: 2048,
    example: REDIRECT,
  },
  OpenId4VpResponseMode: {
    type: 'string',
    description: 'How wallets answer: direct_post.jwt (default) encrypted, direct_post in clear.',
    enum: ['direct_post', 'direct_post.jwt'],
  },
  OpenId4VpClientIdPrefix: {
    type: 'string',
    description:
      'How wallets know the verifier: by its DID, the hash of its certificate (x509_hash), or the DNS name of the tenant in it (x509_san_dns).',
    enum: ['decentralized_identifier', 'x509_hash', 'x509_san_dns'],
  },
  OpenId4VpSeconds: seconds('Seconds until the request ends. Default: 600.', LIFETIME_SECONDS),
  OpenId4VpKeptSeconds: seconds(
    'Seconds for which what was presented is kept after the end. Default: 86400.',
    KEPT_SECONDS,
  ),
  OpenId4VpResponseCode: {
    type: 'string',
    description: 'response_code of the redirect.',
    pattern: '^[A-Za-z0-9_-]{1,255}$',
    example: CODE,
  },
}

export const PRESENTATION_PROBLEMS: ProblemTable = {
  400: {
    'openid_presentation.answer_malformed': {
      meaning: 'The answer of a wallet cannot be read or decrypted, or does not hold what the query asks for.',
      remedy: 'See that the wallet speaks OpenID4VP 1.0 with DCQL and the response mode of the request.',
    },
    'openid_presentation.declined': {
      meaning: 'The wallet declined to present.',
      remedy: 'Ask again only if the person wants to: create another request.',
    },
    'openid_presentation.expired': {
      meaning: 'No wallet presented anything that was accepted before the request ended.',
      remedy: 'Create another request; a longer one with expiresInSec.',
    },
    'openid_presentation.invalid': {
      meaning: 'The request for credentials has values that cannot be used; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'openid_presentation.over': {
      meaning: 'The request to the wallet is not known, has ended, or was answered.',
      remedy: 'Create another one with createOpenId4VpRequest.',
    },
    'openid_presentation.refused': {
      meaning: 'A presentation was not accepted; credentials of the request have every check.',
      remedy: 'Read the checks with getOpenId4VpRequest, and have a credential presented that passes them.',
    },
    'openid_presentation.response_code_wrong': {
      meaning: 'The response code is of another request, was used, or no wallet has answered on the same device.',
      remedy:
        'Take the code from the query of the redirectUri that the wallet opened in this browser, and use it once.',
    },
  },
  404: {
    'openid_presentation.not_found': {
      meaning: 'The tenant has no such request for credentials, or it was deleted after keptUntil.',
      remedy: 'Take the id from listOpenId4VpRequests.',
    },
    'openid_presentation.template_not_found': {
      meaning: 'The tenant has no such presentation template.',
      remedy: 'Take the id from getWebSemanticPresentationTemplatesLists.',
    },
  },
}
