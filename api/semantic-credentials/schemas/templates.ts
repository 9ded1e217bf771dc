import { DURATION_UNITS } from '../../../protocol/time.ts'
import { freeMembers, oneOrMore, ref, URI } from '../../frame/openapi/json.ts'
import { wordPattern } from '../../frame/openapi/patterns.ts'
import { nullable, type Schema, type Schemas } from '../../frame/openapi/schemas.ts'
import { HTTPS_OF_ANY_HOST } from '../../frame/openapi/urls.ts'

/** An object with these members and no others. */
export const only = (required: string[], properties: Schema): Schema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
  additionalProperties: false,
})

/** Members of which at least one is sent. */
const someOf = (properties: Schema): Schema => ({ ...only([], properties), minProperties: 1 })

const RULE = { required: { type: 'boolean', description: 'true: a missing value is an error.' } }
const NOT_NULL: Schema = { description: 'Any JSON value except null.', not: { enum: [null] } }

/** Texts and objects of templates. */
export const TEMPLATE_SCHEMAS: Schemas = {
  CredentialType: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: wordPattern('@'),
    example: 'CourseCredential',
  },
  Description: {
    type: 'string',
    maxLength: 4096,
    pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$',
  },
  AdditionalTypes: { type: 'array', items: ref('CredentialType'), uniqueItems: true, example: ['AlumniCredential'] },
  TemplateContexts: nullable(oneOrMore({ anyOf: [URI, { type: 'object', ...freeMembers }] })),
  ClaimPath: {
    type: 'string',
    maxLength: 512,
    pattern: '^[^.\\u0000]*[^.\\s\\u0000][^.\\u0000]*(\\.[^.\\u0000]*[^.\\s\\u0000][^.\\u0000]*)*$',
    example: 'claims.given_name',
  },
  Colour: {
    type: 'string',
    pattern: '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[A-Za-z]{3,20})$',
    example: '#B00AA0',
  },
  ImageUrl: {
    type: 'string',
    maxLength: 43_800,
    pattern: `^(${HTTPS_OF_ANY_HOST}|data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2})$`,
    example: 'https://example.edu/icon.png',
  },
  Duration: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  ExpiresIn: {
    type: 'object',
    properties: Object.fromEntries(DURATION_UNITS.map((unit) => [unit, ref('Duration')])),
    additionalProperties: false,
    not: { additionalProperties: { enum: [0] } },
  },
  ClaimMappingIn: {
    anyOf: [
      only(['map_from'], { map_from: ref('ClaimPath'), default_value: {}, ...RULE }),
      only(['default_value'], { default_value: NOT_NULL, ...RULE }),
      someOf({
        address: ref('ClaimPath'),
        authentication_provider: ref('ProviderMapping'),
        family_name: ref('ClaimPath'),
        given_name: ref('ClaimPath'),
      }),
    ],
  },
  ProviderMapping: someOf({ subject_id: ref('ClaimPath'), url: ref('ClaimPath') }),
}
