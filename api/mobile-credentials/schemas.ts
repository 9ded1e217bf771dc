import type { Schemas } from '../frame/openapi/schemas.ts'

/** Schemas of this area that TypeScript cannot say (api/frame/openapi/document.ts). */
export const MOBILE_CREDENTIAL_SCHEMAS: Schemas = {
  Country: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2, example: 'NL' },
  CommonName: {
    type: 'string',
    pattern: "^[A-Za-z0-9'()+,./:=?-]([A-Za-z0-9 '()+,./:=?-]*[A-Za-z0-9'()+,./:=?-])?$",
    minLength: 1,
    maxLength: 64,
    example: 'Example State IACA',
  },
  StateOrProvince: { type: 'string', pattern: '^[A-Za-z0-9-]+$', minLength: 1, maxLength: 128, example: 'NL-ZH' },
  DeviceKey: {
    type: 'object',
    required: ['kty', 'crv', 'x'],
    properties: {
      kty: { type: 'string', enum: ['EC', 'OKP'] },
      crv: { type: 'string', enum: ['P-256', 'P-384', 'P-521', 'Ed25519', 'X25519'] },
      x: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 100 },
      y: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 100 },
    },
    additionalProperties: true,
  },
  ItemsToSign: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { type: 'object', additionalProperties: true },
    example: { 'org.iso.18013.5.1': { family_name: 'Lovelace', age_over_18: true } },
  },
  CertificatePem: {
    type: 'string',
    pattern: '^-----BEGIN CERTIFICATE-----\\n[A-Za-z0-9+/=\\n]+\\n-----END CERTIFICATE-----\\n?$',
    maxLength: 32_768,
  },
}
