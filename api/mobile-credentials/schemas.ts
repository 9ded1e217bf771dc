import { ref, text } from '../frame/openapi/json.ts'
import type { Schema, Schemas } from '../frame/openapi/schemas.ts'

const time = (description: string): Schema => ({ allOf: [ref('DateTime')], description })

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
  IacaIn: {
    anyOf: [
      {
        type: 'object',
        required: ['country'],
        properties: {
          country: ref('Country'),
          commonName: { allOf: [ref('CommonName')], description: 'Default: the tenant\'s host and "IACA".' },
          stateOrProvinceName: ref('StateOrProvince'),
          notBefore: time('Default: now.'),
          notAfter: time('In the future. Default: 9 years after notBefore; at most 20.'),
        },
        additionalProperties: false,
      },
      {
        type: 'object',
        required: ['certificatePem'],
        properties: { certificatePem: ref('CertificatePem') },
        additionalProperties: false,
      },
    ],
  },
  DocType: { ...text(255, 1), example: 'org.iso.18013.5.1.mDL' },
  MobileBytes: {
    type: 'string',
    pattern: '^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{4}|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048]|[A-Za-z0-9_-][AQgw])=*$',
  },
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
    maxProperties: 50,
    additionalProperties: { type: 'object', minProperties: 1, maxProperties: 500, additionalProperties: true },
    example: { 'org.iso.18013.5.1': { family_name: 'Lovelace', age_over_18: true } },
  },
  CertificatePem: {
    type: 'string',
    pattern: '^-----BEGIN CERTIFICATE-----\\n[A-Za-z0-9+/=\\n]+\\n-----END CERTIFICATE-----\\n?$',
    maxLength: 32_768,
  },
}
