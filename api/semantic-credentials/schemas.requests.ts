import { PROOF_TYPES } from '../../protocol/data-integrity/index.ts'
import { CHECKS } from '../../protocol/semantic-credentials/vc-api.ts'
import { freeMembers, oneOrMore, ref, text, URI } from '../frame/openapi/json.ts'
import { NULL, nullable, type Schema, type Schemas } from '../frame/openapi/schemas.ts'

/** Texts and objects of templates. */
const TEMPLATES: Schemas = {
  CredentialType: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[A-Za-z0-9][!-~]*$',
    example: 'CourseCredential',
  },
  Description: text(4096),
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
    pattern: '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-z]{3,20})$',
    example: '#B00AA0',
  },
  ImageUrl: {
    type: 'string',
    format: 'uri',
    maxLength: 43_800,
    pattern:
      '^(https://([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}(/[A-Za-z0-9._~/-]*)?|data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2})$',
    example: 'https://example.edu/icon.png',
  },
  Duration: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
}

const query = (type: string, more: Schema, required: string[] = []): Schema => ({
  type: 'object',
  required: ['type', ...required],
  properties: { type: { type: 'string', enum: [type] }, ...more },
  additionalProperties: false,
})

const credentialQuery = (kind: 'example' | 'frame', content: Schema): Schema => ({
  type: 'object',
  required: [kind],
  properties: {
    required: { type: 'boolean', description: 'false: a presentation without it is valid too.' },
    reason: { ...text(2048, 1), description: 'Why the verifier asks, for people.' },
    [kind]: content,
    trustedIssuer: { type: 'array', items: ref('TrustedIssuer'), maxItems: 100 },
  },
  additionalProperties: false,
})

const list = (kind: string): Schema => ({
  credentialQuery: { type: 'array', items: ref(kind), minItems: 1, maxItems: 20 },
})

const NAMES = {
  '@context': {
    description: 'Contexts that the credential must have.',
    ...oneOrMore({ anyOf: [text(2048, 1), { type: 'object', ...freeMembers }] }),
  },
  type: { anyOf: [text(2048, 1), { type: 'array', items: text(2048, 1), minItems: 1 }] },
}

/** What a verifier asks for. */
const QUERIES: Schemas = {
  ExampleCredentialQuery: credentialQuery('example', {
    description: 'Members that the credential must have, with their values.',
    type: 'object',
    minProperties: 1,
    properties: { ...NAMES, trustedIssuer: { type: 'array', items: ref('TrustedIssuer') } },
    ...freeMembers,
  }),
  FrameCredentialQuery: credentialQuery('frame', {
    description: 'Members that the credential must have; {} matches any value.',
    type: 'object',
    minProperties: 1,
    properties: NAMES,
    ...freeMembers,
  }),
  QueryByExample: query('QueryByExample', list('ExampleCredentialQuery'), ['credentialQuery']),
  QueryByFrame: query('QueryByFrame', list('FrameCredentialQuery'), ['credentialQuery']),
  DIDAuth: { description: 'The holder proves to have a DID; no credential is asked for.', ...query('DIDAuth', {}) },
  PresentationQuery: {
    anyOf: [
      {
        type: 'array',
        items: { anyOf: [ref('QueryByExample'), ref('QueryByFrame'), ref('DIDAuth')] },
        minItems: 1,
        maxItems: 10,
      },
      {
        type: 'object',
        minProperties: 1,
        maxProperties: 10,
        additionalProperties: {
          anyOf: [
            ref('QueryByExample'),
            ref('QueryByFrame'),
            { type: 'object', minProperties: 1, additionalProperties: text(2048) },
          ],
        },
      },
    ],
  },
}

const TRUSTED: Schema = { type: 'array', items: ref('TrustedContext'), maxItems: 100, nullable: true }
const REQUESTED = {
  domain: ref('VerifierDomain'),
  name: ref('DisplayName'),
  query: ref('PresentationQuery'),
  trustedContexts: {
    ...TRUSTED,
    description:
      'A presentation fails with every context that is neither bundled, nor registered, nor in this list; an empty list trusts no other. Without the list, `warnings` names such contexts.',
  },
}

const ONE_REQUEST = {
  challenge: { description: 'Never used before. Default: a random challenge.', allOf: [ref('Challenge')] },
  did: {
    description:
      "The tenant's DID that signs the request. Default: its default issuer, or without one its only DID with an Ed25519 key.",
    allOf: [ref('Did')],
  },
  callbackUrl: {
    description: 'Where the wallet sends its presentation (reply_url): https.',
    allOf: [ref('HttpsUrl')],
  },
  expiresTime: {
    description: 'When the request ends, within 30 days. Default: an hour from now.',
    allOf: [ref('EpochMilliseconds')],
  },
}

const asked = (required: string[], properties: Schema): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

/** Templates of what a verifier asks for, and requests. */
const ASKED: Schemas = {
  PresentationTemplateUpdateIn: asked(['domain', 'name', 'query'], REQUESTED),
  PresentationRequestIn: {
    anyOf: [
      asked(['domain', 'name', 'query'], { ...REQUESTED, ...ONE_REQUEST }),
      asked(['templateId'], {
        templateId: { description: 'Id of a presentation template.', allOf: [ref('Uuid')] },
        ...ONE_REQUEST,
      }),
    ],
  },
}

const STATUS_ENTRY: Schema = {
  type: 'object',
  properties: {
    type: text(255),
    statusPurpose: { type: 'string', enum: ['revocation', 'suspension'] },
    statusListCredential: URI,
    statusListIndex: { type: 'string', pattern: '^[0-9]{1,9}$' },
  },
  ...freeMembers,
}

const PURPOSE = { type: {}, statusPurpose: { type: 'string', enum: ['revocation', 'suspension'] } }
const PLACES = ['statusListCredential', 'statusListIndex', 'revocationListCredential', 'revocationListIndex']

const ENTRY_OF_PURPOSE: Schema = {
  type: 'object',
  properties: { ...PURPOSE, ...Object.fromEntries(PLACES.map((name) => [name, NULL])) },
  ...freeMembers,
}

const ENTRY_OF_LIST: Schema = {
  type: 'object',
  required: ['statusListCredential', 'statusListIndex'],
  properties: {
    ...PURPOSE,
    statusListCredential: URI,
    statusListIndex: { type: 'string', pattern: '^[0-9]{1,9}$' },
  },
  ...freeMembers,
}

const POINTERS: Schema = { type: 'array', items: ref('JsonPointer'), maxItems: 200 }
const PROOF = {
  cryptosuite: { type: 'string', enum: PROOF_TYPES.filter((name) => name.includes('-')) },
  type: { type: 'string', enum: ['DataIntegrityProof', ...PROOF_TYPES.filter((name) => !name.includes('-'))] },
}
const EXPECTED = { challenge: text(4096), domain: text(4096) }

/** Options, of which null is absent. */
const options = (properties: Schemas): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, nullable(schema)])),
  ...freeMembers,
})

/** Options of the VC API. */
const VC_API: Schemas = {
  VcApiIssueOptions: options({
    ...PROOF,
    mandatoryPointers: { ...POINTERS, description: 'For bbs-2023: what a holder must disclose.' },
    credentialStatus: {
      description: 'The status entries to add: one, or one for revocation and one for suspension.',
      anyOf: [STATUS_ENTRY, { type: 'array', items: STATUS_ENTRY, minItems: 1, maxItems: 2 }],
    },
  }),
  VcApiVerifyOptions: options({
    ...EXPECTED,
    trustedContexts: { type: 'array', items: ref('TrustedContext'), maxItems: 100 },
    checks: {
      description: 'The checks to make, always with proof; the others are answered as skipped. Default: every check.',
      type: 'array',
      items: { type: 'string', enum: CHECKS },
      maxItems: CHECKS.length,
    },
  }),
  VcApiDeriveOptions: options({ selectivePointers: POINTERS, presentationHeader: { allOf: [ref('Base64Url')] } }),
  VcApiProveOptions: options({
    ...PROOF,
    ...EXPECTED,
    verificationMethod: { ...text(4096), description: "Default: a key of the holder's DID." },
  }),
  VcApiStatusIn: {
    type: 'object',
    required: ['credentialId', 'credentialStatus', 'status'],
    properties: {
      credentialId: {
        ...text(4096),
        description:
          "The credential's own id. If several have it, statusListCredential and statusListIndex in credentialStatus select one.",
      },
      credentialStatus: ref('VcApiStatusEntry'),
      status: { type: 'boolean', description: 'true: the credential is revoked or suspended.' },
      indexAllocator: { type: 'string', description: 'Not used: credentials get their entries when they are signed.' },
    },
    additionalProperties: false,
  },
  VcApiStatusEntry: {
    description: 'The entry of one purpose: as the credential has it, or without the list and the index.',
    anyOf: [ENTRY_OF_LIST, ENTRY_OF_PURPOSE, { type: 'array', items: ENTRY_OF_LIST, minItems: 1, maxItems: 1 }],
  },
}

/** Schemas of requests of this area that TypeScript cannot say (api/frame/openapi/document.ts). */
export const SEMANTIC_REQUEST_SCHEMAS: Schemas = { ...TEMPLATES, ...QUERIES, ...ASKED, ...VC_API }
