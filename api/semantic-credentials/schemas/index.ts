import { freeMembers, line, oneOrMore, ref, text, URI } from '../../frame/openapi/json.ts'
import type { Schema, Schemas } from '../../frame/openapi/schemas.ts'
import { LINKED_DATA_SCHEMAS } from './linked-data.ts'

/** A member with a type, of which the data models say no more. */
const typed = (description: string): Schema => ({ description, allOf: [ref('TypedObjects')] })

const DIGEST = { digestSRI: { type: 'string', pattern: '^sha(256|384|512)-[A-Za-z0-9+/]+={0,2}$', maxLength: 255 } }

/** An object with an id. */
const identified = (required: string[], properties: Schema): Schema => ({
  type: 'object',
  required: ['id', ...required],
  properties: { id: URI, ...properties },
  ...freeMembers,
})

const date = (description: string): Schema => ({ description, allOf: [ref('CredentialDate')] })

/** One digest of a resource to sign; credentials of others may have other hashes, several, and other encodings. */
const SIGNED_DIGEST = {
  digestSRI: {
    type: 'string',
    pattern:
      '^(sha256-[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{85}[AQgw]==)$',
  },
  digestMultibase: {
    type: 'string',
    pattern: '^uEi[A-D][A-Za-z0-9_-]{42}[AQgw]$',
    description: 'A SHA-256 multihash in base64url.',
  },
}

const RELATED = 'Resources with the digest of their content: digestSRI, or digestMultibase instead of it.'

const TO_SIGN: Schemas = {
  relatedResource: {
    description: RELATED,
    ...oneOrMore({
      anyOf: Object.keys(SIGNED_DIGEST).map((member) => identified([member], SIGNED_DIGEST)),
    }),
  },
}

const COMMON: Schemas = {
  '@context': ref('Contexts'),
  id: { ...URI, description: 'Default: urn:uuid: and the id of the stored credential.' },
  type: ref('Types'),
  name: { description: 'Name of the credential, for people.', allOf: [ref('LanguageText')] },
  description: { allOf: [ref('LanguageText')] },
  issuer: ref('Issuer'),
  credentialSubject: oneOrMore(ref('Subject')),
  issuanceDate: date('Data model 1.1: when the credential becomes valid. Default: now.'),
  expirationDate: date('Data model 1.1: when it ends.'),
  validFrom: date('Data model 2.0: when the credential becomes valid. Default: now.'),
  validUntil: date('Data model 2.0: when it ends.'),
  credentialBranding: ref('CredentialBranding'),
  credentialSchema: {
    description: 'Schemas of the claims.',
    ...oneOrMore(identified(['type'], { type: ref('Types') })),
  },
  evidence: typed('What the issuer has checked.'),
  refreshService: typed('Where the holder gets a newer credential.'),
  relatedResource: {
    description: RELATED,
    ...oneOrMore(identified([], { ...DIGEST, digestMultibase: text(255) })),
  },
  termsOfUse: typed('Terms of the issuer.'),
}

const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description })

/** Members of a credential that is signed as it is. */
const COMPLETE: Schemas = {
  issuanceDate: time('Data model 1.1: when the credential becomes valid.'),
  expirationDate: time('Data model 1.1: when it ends.'),
  validFrom: time('Data model 2.0: when the credential becomes valid.'),
  validUntil: time('Data model 2.0: when it ends.'),
}

/** Types of which one is this one. */
const typesWith = (name: string): Schema => ({
  description: `${name}, or several types with it.`,
  anyOf: [
    { type: 'string', enum: [name] },
    {
      type: 'array',
      items: { anyOf: [{ type: 'string', enum: [name] }, text(255, 1)] },
      minItems: 1,
      not: { items: { not: { enum: [name] } } },
    },
  ],
})

/** An object with neither is no credential and no presentation (D-250). */
const DOCUMENT: Schema = {
  anyOf: ['@context', 'type'].map((name) => ({
    type: 'object',
    required: [name],
    properties: { [name]: {} },
    ...freeMembers,
  })),
}

const PROOF: Schema = { description: 'One proof, or several.', ...oneOrMore(ref('Proof')) }

const FORMS = 'jwt,[A-Za-z0-9_.-]+|cose;base64,[A-Za-z0-9+/]+={0,2}'

/** An object that has an envelope, and nothing beside it. */
const enveloped = (name: string, kind: string, forms: string): Schema => ({
  type: 'object',
  required: ['@context', 'id', 'type'],
  properties: {
    '@context': ref('Contexts'),
    id: {
      type: 'string',
      pattern: `^data:application/${kind}\\+(${forms})$`,
      maxLength: 1_000_000,
      description: 'The envelope as data: URL.',
    },
    type: { type: 'string', enum: [name] },
  },
  additionalProperties: false,
})

/** Credentials and presentations of the W3C data models; their contexts define further members. */
const CREDENTIALS: Schemas = {
  Contexts: {
    description:
      'JSON-LD contexts: URLs, or objects. The first one selects the data model: 2.0, or 1.1 with any other or none.',
    ...oneOrMore({ anyOf: [URI, { type: 'object', ...freeMembers }] }),
  },
  Types: { description: 'One type, or several.', ...oneOrMore(text(255, 1)) },
  TypedObjects: {
    description: 'An object with its type, or several.',
    ...oneOrMore({ type: 'object', required: ['type'], properties: { id: URI, type: ref('Types') }, ...freeMembers }),
  },
  LanguageText: {
    description: 'A text, or texts with their language.',
    ...oneOrMore({
      anyOf: [
        text(4096),
        {
          type: 'object',
          required: ['@value'],
          properties: {
            '@value': text(4096),
            '@language': text(100),
            '@direction': { type: 'string', enum: ['ltr', 'rtl'] },
          },
          additionalProperties: false,
        },
      ],
    }),
  },
  CredentialDate: {
    description: 'A date and time; or the same as an object, which is read as the text.',
    anyOf: [
      { type: 'string', format: 'date-time' },
      {
        type: 'object',
        required: ['dateTime'],
        properties: { dateTime: { type: 'string', format: 'date-time' }, useZ: { type: 'boolean' } },
        additionalProperties: false,
      },
    ],
  },
  Issuer: {
    description: 'The DID of the issuer, or an object with it.',
    anyOf: [
      URI,
      {
        type: 'object',
        required: ['id'],
        properties: { id: URI, name: ref('LanguageText'), iconUrl: ref('ImageUrl'), logoUrl: ref('ImageUrl') },
        ...freeMembers,
      },
    ],
  },
  Subject: {
    description: 'The claims about one subject; `id` is its DID or another URI.',
    type: 'object',
    minProperties: 1,
    properties: { id: URI },
    ...freeMembers,
  },
  CredentialStatus: {
    description: 'The entry of the credential in a status list.',
    type: 'object',
    required: ['type'],
    properties: {
      id: URI,
      type: text(255, 1),
      statusPurpose: text(255, 1),
      statusListCredential: URI,
      statusListIndex: text(20),
      revocationListCredential: URI,
      revocationListIndex: text(20),
    },
    ...freeMembers,
  },
  Proof: {
    type: 'object',
    required: ['type'],
    properties: {
      '@context': ref('Contexts'),
      id: URI,
      type: text(255, 1),
      cryptosuite: text(255),
      created: { type: 'string', format: 'date-time' },
      expires: { type: 'string', format: 'date-time' },
      creator: text(2048),
      verificationMethod: text(2048),
      proofPurpose: text(255),
      challenge: text(4096),
      domain: oneOrMore(text(4096)),
      nonce: text(2048),
      proofValue: text(1_000_000),
      jws: text(1_000_000),
    },
    ...freeMembers,
  },
  UnsignedCredential: {
    type: 'object',
    required: ['issuer', 'credentialSubject'],
    properties: { ...COMMON, ...TO_SIGN },
    ...freeMembers,
  },
  CompleteCredential: {
    type: 'object',
    required: ['@context', 'type', 'issuer', 'credentialSubject'],
    properties: { ...COMMON, ...TO_SIGN, ...COMPLETE, type: typesWith('VerifiableCredential') },
    ...freeMembers,
  },
  DerivedCredential: {
    type: 'object',
    required: ['@context', 'type', 'proof'],
    properties: { ...COMMON, credentialStatus: oneOrMore(ref('CredentialStatus')), proof: PROOF },
    ...freeMembers,
  },
  VerifiableCredential: {
    type: 'object',
    required: ['@context', 'type', 'issuer', 'credentialSubject', 'proof'],
    properties: { ...COMMON, credentialStatus: oneOrMore(ref('CredentialStatus')), proof: PROOF },
    ...freeMembers,
  },
  EnvelopedVerifiableCredential: enveloped('EnvelopedVerifiableCredential', 'vc', `${FORMS}|sd-jwt,[A-Za-z0-9_.~-]+`),
  IssuedCredential: { anyOf: [ref('VerifiableCredential'), ref('EnvelopedVerifiableCredential')] },
  CredentialToVerify: { anyOf: [ref('VerifiableCredential'), DOCUMENT] },
}

const PRESENTED: Schemas = {
  '@context': ref('Contexts'),
  id: URI,
  type: ref('Types'),
  holder: {
    description: 'The DID of the holder, or an object with it.',
    anyOf: [URI, { type: 'object', required: ['id'], properties: { id: URI }, ...freeMembers }],
  },
  verifiableCredential: {
    description: 'The credentials that the holder presents.',
    ...oneOrMore(ref('IssuedCredential')),
  },
}

const PRESENTATIONS: Schemas = {
  UnsignedPresentation: {
    type: 'object',
    required: ['@context', 'type'],
    properties: { ...PRESENTED, type: typesWith('VerifiablePresentation') },
    ...freeMembers,
  },
  VerifiablePresentation: {
    type: 'object',
    required: ['@context', 'type', 'proof'],
    properties: { ...PRESENTED, proof: PROOF },
    ...freeMembers,
  },
  EnvelopedVerifiablePresentation: enveloped('EnvelopedVerifiablePresentation', 'vp', FORMS),
  ProvedPresentation: { anyOf: [ref('VerifiablePresentation'), ref('EnvelopedVerifiablePresentation')] },
  PresentationToVerify: { anyOf: [ref('ProvedPresentation'), DOCUMENT] },
  TrustedContext: { anyOf: [URI, ref('JsonObject')] },
  VerifierDomain: { type: 'string', minLength: 1, maxLength: 2048, pattern: '^[!-~]+$', example: 'verifier.example' },
  DisplayName: line(255),
  Challenge: { type: 'string', minLength: 8, maxLength: 255, pattern: '^[!-~]+$' },
  TrustedIssuer: {
    type: 'object',
    required: ['issuer'],
    properties: {
      issuer: { ...URI, maxLength: 2048, description: 'DID or URL of an issuer.' },
      required: { type: 'boolean', description: 'false: the entry does not count.' },
    },
    additionalProperties: false,
  },
}

/** Schemas of this area that TypeScript cannot say (api/frame/openapi/document.ts). */
export const SEMANTIC_SCHEMAS: Schemas = { ...CREDENTIALS, ...PRESENTATIONS, ...LINKED_DATA_SCHEMAS }
