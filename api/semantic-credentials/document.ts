import type { SEMANTIC_CREDENTIAL_OPERATIONS } from '../../protocol/semantic-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, UNSIGNED, V2 } from '../frame/openapi/examples.ts'
import { SEMANTIC_ANSWERS } from './answers.ts'
import { BASE, CREDENTIAL_ID, PRESENTATION, PRESENTATION_TEMPLATE_ID, SIGNED } from './examples.ts'
import { SEMANTIC_CREDENTIAL_PROBLEMS } from './problems/credentials.ts'
import { ENVELOPE_PROBLEMS } from './problems/envelopes.ts'
import { PRESENTATION_PROBLEMS } from './problems/presentations.ts'
import { TEMPLATE_PROBLEMS } from './problems/templates.ts'
import { SEMANTIC_SCHEMAS } from './schemas/index.ts'
import { SEMANTIC_REQUEST_SCHEMAS } from './schemas/requests.ts'

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
    deleteWebSemanticPresentationTemplate: { 409: 'presentation_template.in_use' },
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
  problems: [SEMANTIC_CREDENTIAL_PROBLEMS, ENVELOPE_PROBLEMS, TEMPLATE_PROBLEMS, PRESENTATION_PROBLEMS],
}
