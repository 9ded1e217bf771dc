import { ref, text, URI } from '../../frame/openapi/json.ts'
import type { Schema, Schemas } from '../../frame/openapi/schemas.ts'

const MDOC_NAME: Schema = { type: 'string', pattern: '^[!-~]{1,255}$', minLength: 1, maxLength: 255 }
const VALUES: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  items: {
    anyOf: [
      { type: 'string' },
      { type: 'integer', format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'boolean' },
    ],
  },
}
const REQUIRED: Schema = { type: 'boolean', description: 'false: an answer without it is valid too.' }
const STEP: Schema = {
  anyOf: [
    { ...text(255, 1), nullable: true },
    { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  ],
}

const object = (required: string[], properties: Schema): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

/** Entries of queries of the type DCQL, in the words of OpenID4VP 1.0, section 6. */
export const DCQL_SCHEMAS: Schemas = {
  DcqlCredentialQuery: { anyOf: [ref('SdJwtCredentialQuery'), ref('MdocCredentialQuery')] },
  SdJwtCredentialQuery: object(['format', 'meta'], {
    required: REQUIRED,
    format: { type: 'string', enum: ['dc+sd-jwt'] },
    meta: object(['vct_values'], {
      vct_values: {
        type: 'array',
        description: 'The credential has one of these types, or one that extends it.',
        items: text(2048, 1),
        minItems: 1,
        maxItems: 20,
      },
    }),
    claims: {
      type: 'array',
      description: 'Absent: nothing that the holder can hide is asked for.',
      items: ref('SdJwtClaimQuery'),
      minItems: 1,
      maxItems: 100,
    },
    trustedIssuer: {
      type: 'array',
      description: 'Who may have issued it; an empty list accepts nobody.',
      items: ref('SdJwtTrustedIssuer'),
      maxItems: 100,
    },
  }),
  SdJwtClaimQuery: object(['path'], {
    path: {
      type: 'array',
      description: 'Names and indexes that lead to the claim; null stands for every element of a list.',
      items: STEP,
      minItems: 1,
      maxItems: 32,
    },
    values: VALUES,
  }),
  SdJwtTrustedIssuer: object(['issuer'], {
    issuer: {
      description: 'DID or https address of an issuer, or the name of the key of an IACA.',
      anyOf: [
        { ...URI, maxLength: 2048 },
        { type: 'string', pattern: '^[0-9a-f]{64}$' },
      ],
    },
    required: { type: 'boolean', description: 'true, or absent: leave out an issuer that does not count.' },
  }),
  MdocCredentialQuery: object(['format', 'meta', 'claims'], {
    required: REQUIRED,
    format: { type: 'string', enum: ['mso_mdoc'] },
    meta: object(['doctype_value'], { doctype_value: { ...MDOC_NAME, description: 'The document type.' } }),
    claims: { type: 'array', items: ref('MdocClaimQuery'), minItems: 1, maxItems: 100 },
  }),
  MdocClaimQuery: object(['path'], {
    path: {
      type: 'array',
      description: 'A namespace, and an element of it.',
      items: MDOC_NAME,
      minItems: 2,
      maxItems: 2,
    },
    values: VALUES,
  }),
}
