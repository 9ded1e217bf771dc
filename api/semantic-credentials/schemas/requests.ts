import { isSelective, PROOF_TYPES, suiteOf } from '../../../protocol/data-integrity/index.ts'
import {
  CREDENTIAL_PROOF_TYPES,
  PRESENTATION_ENVELOPE_TYPES,
} from '../../../protocol/semantic-credentials/proof-types.ts'
import { CHECKS } from '../../../protocol/semantic-credentials/vc-api.ts'
import { freeMembers, oneOrMore, ref, text, URI } from '../../frame/openapi/json.ts'
import { NULL, nullable, type Schema, type Schemas } from '../../frame/openapi/schemas.ts'
import { DCQL_SCHEMAS } from './dcql.ts'
import { SELECTIVE } from './selective.ts'
import { only, TEMPLATE_SCHEMAS } from './templates.ts'

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

const QUERIED = [ref('QueriedScalar'), ref('QueriedObject')]
const queriedList = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 })

/** What a verifier asks for. */
const QUERIES: Schemas = {
  QueriedScalar: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, NULL] },
  QueriedObject: { type: 'object', additionalProperties: ref('QueriedValue') },
  QueriedValue: {
    description: 'A JSON value without empty lists, which every credential would match.',
    // lists of lists end here, because a generated type of a list cannot recur
    anyOf: [...QUERIED, queriedList({ anyOf: [...QUERIED, queriedList({})] })],
  },
  ExampleCredentialQuery: credentialQuery('example', {
    description: 'Members that the credential must have, with their values.',
    type: 'object',
    minProperties: 1,
    properties: { ...NAMES, trustedIssuer: { type: 'array', items: ref('TrustedIssuer') } },
    additionalProperties: ref('QueriedValue'),
  }),
  FrameCredentialQuery: credentialQuery('frame', {
    description: 'Members that the credential must have; {} matches any value.',
    type: 'object',
    minProperties: 1,
    properties: NAMES,
    additionalProperties: ref('QueriedValue'),
  }),
  ...DCQL_SCHEMAS,
  QueryByExample: query('QueryByExample', list('ExampleCredentialQuery'), ['credentialQuery']),
  QueryByFrame: query('QueryByFrame', list('FrameCredentialQuery'), ['credentialQuery']),
  DIDAuth: { description: 'The holder proves to have a DID; no credential is asked for.', ...query('DIDAuth', {}) },
  DCQL: {
    description:
      'Asks for SD-JWT VCs and mobile credentials by OpenID4VP; a presentation of W3C credentials cannot answer it.',
    ...query('DCQL', list('DcqlCredentialQuery'), ['credentialQuery']),
  },
  PresentationQuery: {
    anyOf: [
      {
        type: 'array',
        items: { anyOf: [ref('QueryByExample'), ref('QueryByFrame'), ref('DIDAuth'), ref('DCQL')] },
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
            ref('DCQL'),
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

/** Templates of what a verifier asks for, and requests. */
const ASKED: Schemas = {
  PresentationTemplateUpdateIn: only(['domain', 'name', 'query'], REQUESTED),
  PresentationRequestIn: {
    anyOf: [
      only(['domain', 'name', 'query'], { ...REQUESTED, ...ONE_REQUEST }),
      only(['templateId'], {
        templateId: { description: 'Id of a presentation template.', allOf: [ref('Uuid')] },
        ...ONE_REQUEST,
      }),
    ],
  },
}

/** An entry to add; without a purpose it is for revocation. */
const statusEntry = (...purposes: string[]): Schema => ({
  type: 'object',
  properties: {
    type: text(255),
    statusPurpose: { type: 'string', enum: purposes },
    statusListCredential: URI,
    statusListIndex: { type: 'string', pattern: '^[0-9]{1,9}$' },
  },
  ...freeMembers,
})

const OF_REVOCATION: Schema = { properties: { statusPurpose: { enum: ['revocation'] } } }
const OF_SUSPENSION: Schema = { required: ['statusPurpose'], properties: { statusPurpose: { enum: ['suspension'] } } }

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
/** A cryptosuite, which has a hyphen in its name; or the type of an older proof or of an envelope. */
const proof = (proofTypes: readonly string[]) => {
  const isSuite = (name: string) => name.includes('-') && !name.includes('+')
  return {
    cryptosuite: { type: 'string', enum: proofTypes.filter(isSuite) },
    type: { type: 'string', enum: ['DataIntegrityProof', ...proofTypes.filter((name) => !isSuite(name))] },
  }
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
    ...proof(CREDENTIAL_PROOF_TYPES),
    mandatoryPointers: { ...POINTERS, description: 'For bbs-2023 and ecdsa-sd-2023: what a holder must disclose.' },
    ...SELECTIVE,
    credentialStatus: {
      description: 'The status entries to add: one, or one for revocation and one for suspension.',
      anyOf: [
        statusEntry('revocation'),
        { type: 'array', items: statusEntry('revocation'), minItems: 1, maxItems: 1 },
        {
          type: 'array',
          items: statusEntry('revocation', 'suspension'),
          minItems: 2,
          maxItems: 2,
          not: { anyOf: [{ items: OF_REVOCATION }, { items: OF_SUSPENSION }] },
        },
      ],
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
      not: { items: { enum: CHECKS.filter((name) => name !== 'proof') } },
    },
  }),
  VcApiDeriveOptions: options({ selectivePointers: POINTERS, presentationHeader: { allOf: [ref('Base64Url')] } }),
  VcApiProveOptions: options({
    ...proof([...PROOF_TYPES.filter((name) => !isSelective(suiteOf(name))), ...PRESENTATION_ENVELOPE_TYPES]),
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
export const SEMANTIC_REQUEST_SCHEMAS: Schemas = { ...TEMPLATE_SCHEMAS, ...QUERIES, ...ASKED, ...VC_API }
