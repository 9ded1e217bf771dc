import { FORMAT_NAMES, slugOf } from '../../protocol/credentials/formats.ts'
import { LABEL_PATTERN } from '../../protocol/names.ts'
import type { TRUST_LIST_OPERATIONS } from '../../protocol/trust-lists/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref } from '../frame/openapi/json.ts'
import { nullable, type Schemas } from '../frame/openapi/schemas.ts'
import { TRUST_LIST } from './wire.ts'

const { entries: _, ...SUMMARY } = TRUST_LIST

const ENTRY = { name: 'Law school', identifier: 'did:web:law.university.example' }

const SCHEMAS: Schemas = {
  TrustListName: {
    type: 'string',
    description: 'One line, for people; something of it can be seen.',
    pattern: LABEL_PATTERN,
    minLength: 1,
    maxLength: 200,
    example: TRUST_LIST.name,
  },
  TrustListFormats: {
    type: 'array',
    description:
      'Formats of credentials whose issuers it lists. Mobile credentials name issuers by certificates, SD-JWT VC by certificates or identifiers, the others by DIDs: each needs an entry that fits.',
    items: { type: 'string', enum: FORMAT_NAMES.map(slugOf) },
    minItems: 1,
    maxItems: FORMAT_NAMES.length,
    uniqueItems: true,
    example: TRUST_LIST.formats,
  },
  TrustedCertificate: { type: 'string', description: 'One X.509 certificate in PEM.', maxLength: 32_768 },
  TrustedIdentifier: {
    type: 'string',
    description: 'A DID, or the https address of an issuer of SD-JWT VC.',
    pattern: '^(did:[a-z0-9]+:[-A-Za-z0-9._:%]+|https://[!"$-~]+)$',
    maxLength: 2_048,
    example: ENTRY.identifier,
  },
  TrustEntryIn: {
    anyOf: [
      {
        type: 'object',
        required: ['certificate'],
        properties: { name: nullable({ allOf: [ref('TrustListName')] }), certificate: ref('TrustedCertificate') },
        additionalProperties: false,
      },
      {
        type: 'object',
        required: ['identifier'],
        properties: { name: nullable({ allOf: [ref('TrustListName')] }), identifier: ref('TrustedIdentifier') },
        additionalProperties: false,
      },
    ],
  },
  TrustEntriesIn: {
    type: 'array',
    description: 'Each issuer once.',
    items: ref('TrustEntryIn'),
    minItems: 1,
    maxItems: 200,
    example: [ENTRY],
  },
}

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const TRUST_LIST_DOCUMENT: AreaDocument<keyof typeof TRUST_LIST_OPERATIONS> = {
  examples: {
    createTrustList: { name: TRUST_LIST.name, formats: TRUST_LIST.formats, enforced: false, entries: [ENTRY] },
    updateTrustList: { enforced: false },
  },
  answers: { listTrustLists: { data: [SUMMARY], limit: 20, totalCount: 1, totalPages: 1 } },
  notFound: { '/v1/trust-lists/{id}': 'trust_list.not_found' },
  located: ['createTrustList'],
  refusals: {
    createTrustList: { 400: 'trust_list.invalid', 409: 'trust_list.too_many' },
    updateTrustList: { 400: 'trust_list.invalid' },
  },
  schemas: SCHEMAS,
  problems: [
    {
      400: {
        'trust_list.invalid': {
          meaning: 'The trust list cannot be used; errors names each place and rule.',
          remedy:
            'Send one or more formats and 1 to 200 entries, each with either a certificate in PEM or an identifier, and for each format an entry that it can name an issuer by.',
        },
      },
      404: {
        'trust_list.not_found': {
          meaning: 'The tenant has no such trust list.',
          remedy: 'Take the id from listTrustLists.',
        },
      },
      409: {
        'trust_list.too_many': {
          meaning: 'The tenant has as many trust lists as it can have.',
          remedy: 'Delete one with deleteTrustList, or put its entries into another one.',
        },
      },
    },
  ],
}
