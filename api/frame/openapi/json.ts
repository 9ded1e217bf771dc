import { CREDENTIAL_PROOF_TYPES } from '../../../protocol/semantic-credentials/proof-types.ts'
import { LINE_PATTERN } from './patterns.ts'
import type { Schema, Schemas } from './schemas.ts'

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** One value, or a list of them, as JSON-LD allows. */
export const oneOrMore = (schema: Schema): Schema => ({
  anyOf: [schema, { type: 'array', items: schema, minItems: 1 }],
})

/** A text of at most so many characters. No text of a request has U+0000, which PostgreSQL does not accept. */
export const text = (maxLength: number, minLength = 0): Schema => ({
  type: 'string',
  ...(minLength > 0 && { minLength }),
  maxLength,
  pattern: '^[^\\u0000]*$',
})

/** One line with something to read on it, without control characters and those that turn the direction of the text. */
export const line = (maxLength: number): Schema => ({ type: 'string', minLength: 1, maxLength, pattern: LINE_PATTERN })

/** Members that a context defines, or anything else. */
export const freeMembers = { additionalProperties: true }

export const DID: Schema = {
  type: 'string',
  pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]$',
  maxLength: 2048,
  example: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
}

/** An absolute URI, by its characters. */
export const URI: Schema = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>"{}|\\\\^`]+$',
  maxLength: 4096,
}

const SAFE = Number.MAX_SAFE_INTEGER

/** Types that every area uses. */
export const FRAME_SCHEMAS: Schemas = {
  Did: DID,
  HttpsUrl: {
    type: 'string',
    format: 'uri',
    pattern:
      '^https://[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\\.[a-z]{2,}(/[A-Za-z0-9._~/-]*)?$',
    maxLength: 2048,
    example: 'https://verifier.example/callback',
  },
  EpochMilliseconds: { type: 'integer', format: 'int64', minimum: 0, maximum: SAFE },
  TemplateVersion: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 },
  ProofType: { type: 'string', enum: [...CREDENTIAL_PROOF_TYPES] },
  JsonObject: { type: 'object', ...freeMembers },
}
