import { DURATION_UNITS } from '../../protocol/time.ts'
import { freeMembers, ref, text } from '../frame/openapi/json.ts'
import { wordPattern } from '../frame/openapi/patterns.ts'
import type { Schema, Schemas } from '../frame/openapi/schemas.ts'

/** Seconds since 1970-01-01T00:00:00Z. */
const TIME: Schema = { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799 }

const CLAIM: Schema = { anyOf: [text(2_048), { type: 'integer', format: 'int64' }, { type: 'boolean' }] }

const own: Schema = {
  type: 'object',
  description: "Claims of the issuer's own: texts, numbers, true and false.",
  additionalProperties: CLAIM,
  maxProperties: 100,
}

const claims = { sub: text(2_048, 1), aud: text(2_048, 1), exp: TIME, nbf: TIME, iat: TIME, type: text(1_024, 1) }

const semantic = {
  '@context': { type: 'array', items: { anyOf: [text(2_048, 1), { type: 'object', ...freeMembers }] } },
  type: { type: 'array', items: text(2_048, 1), maxItems: 20 },
  credentialSubject: { type: 'object', minProperties: 1, ...freeMembers },
}

/** VerifiableCredential in upper or lower case, or both. */
const letters = [...'VerifiableCredential'].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
const RESERVED = `^${letters.join('')}$`

/** One member and no other. */
const only = (name: string, description: string): Schema => ({
  type: 'object',
  required: [name],
  properties: { [name]: { type: 'boolean', description } },
  additionalProperties: false,
})

const encoded: Schema = { type: 'string', pattern: '^CS[CS]:/1/[A-Z2-7]+$' }

/** Types whose members the generator does not see (api/frame/openapi/document.ts). */
export const COMPACT_SCHEMAS: Schemas = {
  EncodedCompact: encoded,
  UnsignedClaims: {
    type: 'object',
    properties: { iss: ref('Did'), ...claims, property_set: own },
    additionalProperties: CLAIM,
  },
  DecodedClaims: {
    type: 'object',
    properties: {
      iss: { type: 'string' },
      ...claims,
      jti: { type: 'string' },
      property_set: { type: 'object', ...freeMembers },
      status: {
        type: 'object',
        required: ['index', 'url'],
        properties: {
          index: { type: 'string', description: 'A decimal number.' },
          url: { type: 'string', format: 'uri', description: 'Address of the status list.' },
        },
      },
    },
    ...freeMembers,
  },
  UnsignedSemantic: {
    type: 'object',
    required: ['credentialSubject'],
    properties: semantic,
    ...freeMembers,
  },
  CompactType: {
    type: 'string',
    minLength: 1,
    maxLength: 1_024,
    pattern: wordPattern(),
    not: { pattern: RESERVED },
    example: 'CourseCredential',
  },
  CompactDuration: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  CompactExpiration: {
    type: 'object',
    properties: Object.fromEntries(DURATION_UNITS.map((unit) => [unit, ref('CompactDuration')])),
    additionalProperties: false,
    not: { additionalProperties: { enum: [0] } },
  },
  CompactMapping: {
    type: 'object',
    properties: {
      map_from: ref('ClaimPath'),
      default_value: CLAIM,
      required: { type: 'boolean' },
    },
    additionalProperties: false,
    anyOf: [{ required: ['map_from'] }, { required: ['default_value'] }],
  },
  CompactRevocationIn: {
    anyOf: [only('is_revoked', 'true: revokes. false: undoes the revocation.'), only('isRevoked', 'As is_revoked.')],
  },
  QrCodeWidth: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_048 },
  DecodedSemantic: { type: 'object', ...freeMembers },
}
