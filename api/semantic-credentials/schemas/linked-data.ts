import { LINKED_DATA_FORMATS } from '../../../protocol/semantic-credentials/linked-data.ts'
import { ref } from '../../frame/openapi/json.ts'
import type { Schema, Schemas } from '../../frame/openapi/schemas.ts'

/** CBOR-LD is binary. */
const conversion = (formats: string[], encodings: string[]): Schema => ({
  type: 'object',
  required: ['input_format', 'output_encoding', 'output_format'],
  properties: {
    input_format: { description: 'Format of data.', allOf: [ref('LinkedDataFormat')] },
    output_encoding: { type: 'string', enum: encodings, description: 'JSON-LD as text is a JSON object.' },
    output_format: { type: 'string', enum: formats },
  },
  additionalProperties: false,
})

/** Schemas of conversions and derivations. */
export const LINKED_DATA_SCHEMAS: Schemas = {
  LinkedDataFormat: { type: 'string', enum: [...LINKED_DATA_FORMATS] },
  LinkedDataEncoding: { type: 'string', enum: ['text', 'base64'] },
  ConvertOptions: {
    anyOf: [conversion(['jsonld', 'n-quads'], ['text', 'base64']), conversion(['cborld'], ['base64'])],
  },
  JsonPointer: {
    type: 'string',
    maxLength: 2048,
    pattern: '^(/([^~/\\u0000]|~[01])*)*$',
    example: '/credentialSubject/course',
  },
  Base64Url: {
    type: 'string',
    maxLength: 1024,
    pattern: '^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$',
  },
}
