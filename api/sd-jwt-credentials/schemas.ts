import { ref, text } from '../frame/openapi/json.ts'
import { wordPattern } from '../frame/openapi/patterns.ts'
import type { Schema, Schemas } from '../frame/openapi/schemas.ts'

const STEP: Schema = {
  anyOf: [
    { ...text(255, 1), nullable: true },
    { type: 'integer', format: 'int32', minimum: 0, maximum: 100_000 },
  ],
}

const LOCALE: Schema = { type: 'string', pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$', example: 'en' }
const NAME: Schema = { ...text(255, 1), pattern: '\\S' }
const DESCRIPTION: Schema = { ...text(4_096, 1), pattern: '\\S' }

const LABEL: Schema = {
  type: 'object',
  required: ['locale', 'label'],
  properties: {
    locale: LOCALE,
    label: NAME,
    description: DESCRIPTION,
  },
}

/** Schemas of this area that TypeScript cannot say (api/frame/openapi/document.ts). */
export const SD_JWT_SCHEMAS: Schemas = {
  SdJwtPayload: {
    type: 'object',
    required: ['vct'],
    properties: {
      vct: ref('SdJwtType'),
      'vct#integrity': ref('SdJwtIntegrity'),
      sub: { type: 'string' },
      nbf: { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799 },
      exp: { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799 },
    },
    additionalProperties: true,
  },
  SdJwtPath: { type: 'array', items: STEP, minItems: 1, maxItems: 32, example: ['address', 'locality'] },
  SdJwtHolderKey: {
    type: 'object',
    required: ['kty', 'crv', 'x'],
    properties: {
      kty: { type: 'string', enum: ['EC', 'OKP'] },
      crv: { type: 'string', enum: ['P-256', 'P-384', 'Ed25519'] },
      x: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 100 },
      y: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 100 },
    },
    additionalProperties: true,
  },
  SdJwtType: {
    ...text(1_024, 1),
    pattern: wordPattern(),
    example: 'https://credentials.example/identity',
  },
  SdJwtIntegrity: {
    type: 'string',
    pattern:
      '^(sha256-[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{85}[AQgw]==)$',
    example: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  },
  SdJwtName: NAME,
  SdJwtDescription: DESCRIPTION,
  SdJwtLocale: LOCALE,
  SdJwtColor: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', example: '#12107C' },
  SdJwtLogo: { ...text(2_048, 1), format: 'uri', pattern: '^https://' },
  SdJwtClaim: {
    type: 'object',
    required: ['path'],
    properties: {
      path: {
        type: 'array',
        items: { ...text(255, 1), nullable: true },
        minItems: 1,
        maxItems: 10,
        example: ['address', 'locality'],
      },
      map_from: { ...text(512, 1), pattern: '^[^.]+(\\.[^.]+)*$' },
      default_value: {},
      required: { type: 'boolean' },
      disclosure: { type: 'string', enum: ['selectively', 'always'] },
      display: { type: 'array', items: LABEL, maxItems: 50 },
    },
    additionalProperties: false,
  },
}
