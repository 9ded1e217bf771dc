import { FORMAT_NAMES, slugOf } from '../../protocol/credentials/formats.ts'
import { ATTESTED } from '../../protocol/credentials/trust.ts'
import type { TRUST_LIST_OPERATIONS } from '../../protocol/trust-lists/operations.ts'
import { GRACE_HOURS, MAX_DOCUMENT, REFRESH_HOURS, SOURCE_FORMATS } from '../../protocol/trust-lists/sources.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref } from '../frame/openapi/json.ts'
import { LABEL_PATTERN } from '../frame/openapi/patterns.ts'
import { nullable, type Schemas } from '../frame/openapi/schemas.ts'
import { urlWithQuery } from '../frame/openapi/urls.ts'
import { IMPORTED_LIST, TRUST_LIST } from './examples.ts'
import { TRUST_LIST_PROBLEMS } from './problems.ts'

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
      'Formats of credentials whose issuers it lists. Mobile credentials name issuers by certificates, SD-JWT VC by certificates or identifiers, the others by DIDs: each needs an entry that fits. Empty: it lists only wallet providers.',
    items: { type: 'string', enum: FORMAT_NAMES.map(slugOf) },
    maxItems: FORMAT_NAMES.length,
    uniqueItems: true,
    example: TRUST_LIST.formats,
  },
  TrustListAttests: {
    type: 'array',
    description:
      'The certificates of its entries are those of wallet providers, and what they attest of wallets, or of how keys are kept, counts at the issuing of credentials.',
    items: { type: 'string', enum: [...ATTESTED] },
    maxItems: ATTESTED.length,
    uniqueItems: true,
    example: [],
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
  TrustSourceFormat: {
    type: 'string',
    description:
      'ts-119-602: JSON, signed as a compact JWS (JAdES baseline). ts-119-612: XML with an enveloped signature (XAdES).',
    enum: [...SOURCE_FORMATS],
    example: 'ts-119-602',
  },
  TrustSourceUrl: urlWithQuery(
    'An https URL with a host name that can be called from the internet.',
    IMPORTED_LIST.source?.url ?? '',
  ),
  TrustSourceDocument: { type: 'string', description: 'The list itself.', minLength: 1, maxLength: MAX_DOCUMENT },
  TrustSourceSigners: {
    type: 'array',
    description:
      'X.509 certificates in PEM, one in each text: one of them has signed the list. Certificates that the list brings itself say nothing.',
    items: { type: 'string', maxLength: 32_768 },
    maxItems: 10,
    uniqueItems: true,
    example: [],
  },
  TrustListLocation: {
    type: 'string',
    description:
      'Where the list of the lists says that the list is (TSLLocation, LoTELocation), as it stands there. Default: the url of the source; needed with a document.',
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$',
    maxLength: 2_000,
    example: 'https://lists.example/at.xml',
  },
  TrustServiceTypes: {
    type: 'array',
    description: 'URIs of types of services: the issuers of these, and of no others, count.',
    items: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$', maxLength: 500 },
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    example: ['http://uri.etsi.org/19602/SvcType/PID/Issuance'],
  },
  TrustRefreshHours: {
    type: 'integer',
    format: 'int64',
    minimum: REFRESH_HOURS.least,
    maximum: REFRESH_HOURS.most,
    description: `Hours between two reads of the URL at the most; it is read earlier where its next update is due. Default: ${REFRESH_HOURS.default}.`,
    example: REFRESH_HOURS.default,
  },
  TrustGraceHours: {
    type: 'integer',
    format: 'int64',
    minimum: GRACE_HOURS.least,
    maximum: GRACE_HOURS.most,
    description: `Hours for which the list counts after its next update was due. Default: ${GRACE_HOURS.default}.`,
    example: GRACE_HOURS.default,
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
    updateTrustList: { 400: 'trust_list.invalid', 409: 'trust_list.changed' },
    refreshTrustList: { 400: 'trust_list.source_unavailable', 409: 'trust_list.no_url' },
  },
  schemas: SCHEMAS,
  problems: [TRUST_LIST_PROBLEMS],
}
