import type { SEMANTIC_CREDENTIAL_OPERATIONS } from '../../protocol/semantic-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, UNSIGNED, V2 } from '../frame/openapi/examples.ts'
import { text } from '../frame/openapi/json.ts'
import { SEMANTIC_ANSWERS } from './answers.ts'
import { BASE, CREDENTIAL_ID, PRESENTATION, PRESENTATION_TEMPLATE_ID, SIGNED } from './examples.ts'
import { SEMANTIC_REQUEST_SCHEMAS } from './schemas.requests.ts'
import { SEMANTIC_SCHEMAS } from './schemas.ts'

const template = {
  name: 'Course certificate',
  type: 'CourseCredential',
  additional_types: [],
  contexts: [V2, { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  proof_type: 'eddsa-rdfc-2022',
  revocable: true,
  expires_in: { years: 1 },
  claim_mappings: { givenName: { map_from: 'claims.given_name', required: true }, course: 'claims.course' },
}

const presentationTemplate = {
  domain: 'verifier.example',
  name: 'Proof of a course',
  query: [
    {
      type: 'QueryByExample',
      credentialQuery: [
        {
          reason: 'To open the next course',
          example: { type: 'CourseCredential' },
          trustedIssuer: [{ issuer: ISSUER }],
        },
      ],
    },
  ],
}

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const SEMANTIC_CREDENTIAL_DOCUMENT: AreaDocument<
  keyof typeof SEMANTIC_CREDENTIAL_OPERATIONS | 'getSignedPresentationRequest'
> = {
  examples: {
    signWebSemanticCredential: {
      payload: UNSIGNED,
      proofType: 'eddsa-rdfc-2022',
      revocable: true,
      tag: 'spring',
    },
    verifyWebSemanticCredentials: { payload: SIGNED },
    createWebSemanticCredentialTemplate: template,
    updateWebSemanticCredentialTemplate: { ...template, version: 1, expires_in: { months: 18 } },
    signWebSemanticCredentialFromTemplate: {
      claims: { id: HOLDER, given_name: 'Ada', course: 'CS-101' },
      issuer_did: ISSUER,
      tag: 'spring',
    },
    createWebSemanticPresentationTemplate: presentationTemplate,
    updateWebSemanticPresentationTemplate: presentationTemplate,
    createWebSemanticPresentationRequest: {
      templateId: PRESENTATION_TEMPLATE_ID,
      callbackUrl: 'https://verifier.example/callback',
    },
    verifyWebSemanticPresentationTemplate: {
      presentation: PRESENTATION,
      challenge: PRESENTATION.proof.challenge,
      domain: PRESENTATION.proof.domain,
    },
    deriveWebSemanticCredential: { credential: BASE, selectivePointers: ['/credentialSubject/course'] },
    registerJsonLdContext: { url: 'https://issuer.example/contexts/course/v1' },
    convertLinkedData: {
      data: { '@context': { name: 'http://schema.org/name' }, name: 'Ada' },
      options: { input_format: 'jsonld', output_encoding: 'text', output_format: 'n-quads' },
    },
    vcApiIssueCredential: {
      credential: {
        ...UNSIGNED,
        id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1',
        validFrom: '2027-01-01T00:00:00Z',
      },
      options: { cryptosuite: 'eddsa-rdfc-2022', credentialStatus: { type: 'BitstringStatusListEntry' } },
    },
    vcApiIssueCredentialWithProofType: { credential: UNSIGNED },
    vcApiVerifyCredential: { verifiableCredential: SIGNED },
    vcApiDeriveCredential: {
      verifiableCredential: BASE,
      options: { selectivePointers: ['/credentialSubject/course'] },
    },
    vcApiUpdateStatus: {
      credentialId: `urn:uuid:${CREDENTIAL_ID}`,
      credentialStatus: { type: 'BitstringStatusListEntry', statusPurpose: 'revocation' },
      status: true,
    },
    vcApiVerifyPresentation: {
      verifiablePresentation: PRESENTATION,
      options: { challenge: PRESENTATION.proof.challenge, domain: 'verifier.example' },
    },
    vcApiProvePresentation: {
      presentation: { '@context': [V2], type: ['VerifiablePresentation'], holder: ISSUER },
      options: { challenge: PRESENTATION.proof.challenge, domain: 'verifier.example' },
    },
  },
  notFound: {
    '/v1/credentials/web-semantic/{id}': 'credential.not_found',
    '/v1/credentials/web-semantic/configurations/{id}': 'credential_template.not_found',
    '/v1/credentials/web-semantic/presentations/templates/{id}': 'presentation_template.not_found',
    '/v1/credentials/web-semantic/presentations/requests/{id}': 'presentation_request.not_found',
    '/v1/presentation-requests/{id}': 'presentation_request.not_found',
  },
  answers: SEMANTIC_ANSWERS,
  schemas: { ...SEMANTIC_SCHEMAS, ...SEMANTIC_REQUEST_SCHEMAS },
  parameters: {
    listWebSemanticCredentials: { tag: text(255), type: text(2048) },
    getWebSemanticCredentialTemplateLists: { type: text(2048) },
  },
  refusals: {
    signWebSemanticCredential: { 400: 'credential.issuer_unknown' },
    verifyWebSemanticCredentials: { 400: 'credential.malformed' },
    deriveWebSemanticCredential: { 400: 'credential.not_derivable' },
    convertLinkedData: { 400: 'linked_data.unreadable' },
    registerJsonLdContext: { 400: 'context.changed' },
    createWebSemanticCredentialTemplate: { 400: 'credential_template.invalid' },
    updateWebSemanticCredentialTemplate: {
      400: 'credential_template.invalid',
      409: 'credential_template.version_differs',
    },
    signWebSemanticCredentialFromTemplate: { 400: 'credential_template.claims_missing' },
    createWebSemanticPresentationTemplate: { 400: 'presentation_template.invalid' },
    updateWebSemanticPresentationTemplate: { 400: 'presentation_template.invalid' },
    createWebSemanticPresentationRequest: {
      400: 'presentation_request.invalid',
      404: 'presentation_template.not_found',
      409: 'presentation_request.challenge_taken',
    },
    verifyWebSemanticPresentationTemplate: { 400: 'presentation.malformed', 404: 'presentation_template.not_found' },
    getSignedPresentationRequest: { 410: 'presentation_request.over' },
    vcApiIssueCredential: { 400: 'credential.invalid', 403: 'vc_api.off' },
    vcApiIssueCredentialWithProofType: { 400: 'credential.proof_type_unsupported', 403: 'vc_api.off' },
    vcApiVerifyCredential: { 400: 'credential.not_verified', 403: 'vc_api.off' },
    vcApiDeriveCredential: { 400: 'credential.not_derivable', 403: 'vc_api.off' },
    vcApiUpdateStatus: { 403: 'vc_api.off', 404: 'credential.not_found', 409: 'credential.id_ambiguous' },
    vcApiVerifyPresentation: { 400: 'presentation.not_verified', 403: 'vc_api.off' },
    vcApiProvePresentation: { 400: 'presentation.signer_unknown', 403: 'vc_api.off' },
  },
  problems: {
    400: {
      'context.changed': 'The content at a context URL differs from the pinned content, which never changes.',
      'context.invalid': 'The document at a context URL, or an inline context, is not a valid JSON-LD context.',
      'context.too_many': 'The tenant has the maximum number of pinned JSON-LD contexts.',
      'context.unavailable': 'An unknown context could not be fetched.',
      'context.unknown': 'A context is unknown, and the tenant does not fetch unknown contexts; register it first.',
      'credential.invalid': 'The credential breaks rules of its data model; errors names them.',
      'credential.malformed': 'The payload is not a JSON object that can be read as a credential; errors says why.',
      'credential.not_derivable': 'No credential can be derived from the proof.',
      'credential.not_verified': 'The credential does not verify; errors names every check that failed.',
      'credential.pointer_invalid': 'A JSON pointer names a member that the credential does not have.',
      'credential.proof_type_unsupported': 'The proof type is not supported.',
      'credential.term_undefined': 'No context defines a term that the credential uses; errors names it.',
      'credential.too_complex': 'The credential needs too much time or memory to process.',
      'credential.unprocessable':
        'A member or a context of the credential has a value that JSON-LD does not allow there.',
      'credential_template.claims_missing': 'Claims that the template requires are missing; errors names them.',
      'credential_template.claims_unmapped':
        'No mapping of the template takes some of the claims; errors names them, and what the template takes.',
      'credential_template.id_differs': 'The id in the body differs from the id in the path.',
      'credential_template.invalid': 'The template is not valid; errors names the members.',
      'credential_template.no_issuer': 'No DID of the tenant has a key that fits the template.',
      'linked_data.not_encodable': 'The document cannot be encoded as CBOR-LD.',
      'linked_data.unreadable': 'The data is not valid in the input format.',
      'presentation.invalid': 'The presentation breaks rules of its data model; errors names them.',
      'presentation.malformed': 'The presentation is not a JSON object, or it is too large; errors says why.',
      'presentation.not_verified': 'The presentation does not verify; errors names every check that failed.',
      'presentation.proof_type_unsupported': 'This proof type is not supported for presentations.',
      'presentation.signer_key_unfit': 'The DID has no key of the required type.',
      'presentation.signer_not_ready': 'The registration of the DID has not completed.',
      'presentation.signer_unknown': 'The DID is not a DID of this tenant.',
      'presentation_request.invalid': 'The presentation request is not valid; errors names the members.',
      'presentation_template.id_differs': 'The id in the body differs from the id in the path.',
      'presentation_template.invalid': 'The presentation template or its query is not valid; errors names the members.',
    },
    403: {
      'vc_api.off': 'The VC API is off for this tenant.',
    },
    404: {
      'credential_template.not_found': 'The tenant has no such credential template.',
      'presentation_request.not_found': 'The tenant has no such presentation request.',
      'presentation_template.not_found': 'The tenant has no such presentation template.',
    },
    409: {
      'credential.id_ambiguous': 'Several credentials have this id; name one of them by its status entry.',
      'credential_template.version_differs': 'The template has a newer version; read it and change that one.',
      'presentation.signer_not_chosen':
        'No DID is named, and the tenant has no default issuer that fits; errors lists DIDs.',
      'presentation_request.challenge_taken': 'Another presentation request of the tenant has this challenge.',
    },
    410: {
      'presentation_request.over': 'The presentation request was answered, or has expired.',
    },
  },
}
