import {
  CLIENT_ID_PREFIXES,
  KEPT_SECONDS,
  LIFETIME_SECONDS,
  RESPONSE_MODES,
} from '../../../protocol/openid/presentations/requests.ts'
import { MAX_ATTESTATION } from '../../../protocol/openid/verifiers/attestations.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'

export const REDIRECT = 'https://shop.example/checkout?order=42'
export const CODE = 'xP5Jm1VfYhZ0u0kq8bYt0m3o1cC7S8a2n5b9d4e6f7g'

export const QUERY = {
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.example/identity'] },
      claims: [{ path: ['given_name'] }, { path: ['address', 'country'], values: ['NL'] }],
    },
  ],
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
          type: { type: 'string', enum: ['aki', 'etsi_tl'] },
          values: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string' } },
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

const ORIGIN: Schema = {
  type: 'string',
  description: 'The origin of a page: https, or http on loopback.',
  pattern: '^https?://[^/?#\\s]+$',
  maxLength: 2048,
  example: 'https://shop.example',
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
      'Where the wallet, or the page of the request, leads back to: an https URL of a public host, http on loopback, or a scheme such as com.example.app:. The platform adds response_code.',
    maxLength: 2048,
    example: REDIRECT,
  },
  OpenId4VpResponseMode: {
    type: 'string',
    description:
      'How wallets answer: direct_post.jwt (default) encrypted, direct_post in clear; dc_api.jwt and dc_api through the browser of a page, by the Digital Credentials API.',
    enum: [...RESPONSE_MODES],
  },
  OpenId4VpOrigin: ORIGIN,
  OpenId4VpOrigins: {
    type: 'array',
    description: 'Origins of the pages whose browser asks, with dc_api and dc_api.jwt.',
    minItems: 1,
    maxItems: 10,
    items: ORIGIN,
    example: ['https://shop.example'],
  },
  OpenId4VpBrowserData: {
    type: 'object',
    description: 'The data of the DigitalCredential that the browser returned: response, or vp_token, or error.',
    additionalProperties: true,
    example: { response: '<a JWE>' },
  },
  OpenId4VpClientIdPrefix: {
    type: 'string',
    description:
      'How wallets know the verifier: by its DID, by what an attestation says (verifier_attestation), the hash of its certificate (x509_hash), or the DNS name of the tenant in it (x509_san_dns).',
    enum: [...CLIENT_ID_PREFIXES],
  },
  OpenId4VpVerifierAttestation: {
    type: 'string',
    description:
      'A JWT of the type verifier-attestation+jwt (OpenID4VP 1.0, section 12): its sub names the verifier, its cnf.jwk is the key of the DID, and its exp is not before the end of the request.',
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
    maxLength: MAX_ATTESTATION,
    example: 'eyJhbGciOiJFUzI1NiIsInR5cCI6InZlcmlmaWVyLWF0dGVzdGF0aW9uK2p3dCJ9.e30.c2lnbmF0dXJl',
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
