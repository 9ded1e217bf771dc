import type { SEMANTIC_CREDENTIAL_OPERATIONS } from '../../protocol/semantic-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER, V2 } from '../frame/openapi/examples.ts'
import {
  CREATED_AT,
  CREDENTIAL_ID,
  DERIVED,
  PRESENTATION,
  PRESENTATION_TEMPLATE_ID,
  SIGNED,
  TEMPLATE_ID,
} from './examples.ts'
import { TEMPLATE_EXAMPLE as PRESENTATION_TEMPLATE } from './presentations.wire.ts'
import { TEMPLATE_EXAMPLE as TEMPLATE } from './templates.wire.ts'

/** A page with one row. */
const pageOf = (row: object) => ({ data: [row], limit: 20, total_count: 1, total_pages: 1 })

const stored = {
  id: CREDENTIAL_ID,
  credential: SIGNED,
  issuance_date: '2026-01-01T00:00:00.000Z',
  tag: 'spring',
}

const JWS = 'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXTSJ9.e30.c2lnbmF0dXJl'

const request = {
  id: '0d7a2cf5-8f04-4f5b-9d0a-5e0f3a7cf3b1',
  domain: PRESENTATION_TEMPLATE.domain,
  name: PRESENTATION_TEMPLATE.name,
  query: PRESENTATION_TEMPLATE.query,
  challenge: PRESENTATION.proof.challenge,
  templateId: PRESENTATION_TEMPLATE_ID,
  callbackUrl: 'https://verifier.example/callback',
  expiresTime: 1_798_761_600_000,
  state: 'open',
  jws: JWS,
  requestUri: 'https://platform.example/v1/presentation-requests/0d7a2cf5-8f04-4f5b-9d0a-5e0f3a7cf3b1',
  didcommUri: `didcomm://?request=${JWS}`,
}

const VERIFIED = { verified: true, checks: [], warnings: [], errors: [] }

/** A success of each operation of this area. */
export const SEMANTIC_ANSWERS: AreaDocument<
  keyof typeof SEMANTIC_CREDENTIAL_OPERATIONS | 'getSignedPresentationRequest'
>['answers'] = {
  signWebSemanticCredential: { id: CREDENTIAL_ID, tag: 'spring', credential: SIGNED },
  verifyWebSemanticCredentials: { verified: true, reason: [], warnings: [] },
  listWebSemanticCredentials: pageOf(stored),
  getWebSemanticCredentialDetails: {
    ...stored,
    type: 'VerifiableCredential',
    additional_types: [],
    proof_type: 'eddsa-rdfc-2022',
    revocable: false,
    is_revoked: false,
    suspendable: false,
    is_suspended: false,
    created_at: CREATED_AT,
    context: SIGNED['@context'],
    persist: true,
    issuer: SIGNED.issuer,
  },
  getWebSemanticCredentialTemplateLists: pageOf(TEMPLATE),
  getWebSemanticCredentialTemplate: TEMPLATE,
  updateWebSemanticCredentialTemplate: { ...TEMPLATE, version: 2, expires_in: { months: 18 } },
  signWebSemanticCredentialFromTemplate: {
    id: CREDENTIAL_ID,
    tag: 'spring',
    credential: SIGNED,
    template_id: TEMPLATE_ID,
    template_version: 2,
  },
  getWebSemanticPresentationTemplatesLists: pageOf(PRESENTATION_TEMPLATE),
  getWebSemanticPresentationTemplate: PRESENTATION_TEMPLATE,
  updateWebSemanticPresentationTemplate: PRESENTATION_TEMPLATE,
  createWebSemanticPresentationRequest: request,
  getWebSemanticPresentationRequest: { ...request, state: 'used' },
  getSignedPresentationRequest: JWS,
  deriveWebSemanticCredential: { credential: DERIVED },
  listJsonLdContexts: pageOf({
    url: 'https://issuer.example/contexts/course/v1',
    sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    source: 'fetched',
    created_at: CREATED_AT,
  }),
  vcApiIssueCredential: { verifiableCredential: SIGNED },
  vcApiIssueCredentialWithProofType: { verifiableCredential: SIGNED },
  vcApiVerifyCredential: VERIFIED,
  vcApiDeriveCredential: { verifiableCredential: DERIVED },
  vcApiUpdateStatus: {},
  vcApiVerifyPresentation: {
    ...VERIFIED,
    checks: [{ check: 'holderProof', path: '/proof', outcome: 'passed', evidence: `The proof of ${HOLDER} verifies.` }],
  },
  vcApiProvePresentation: {
    verifiablePresentation: {
      '@context': [V2],
      type: ['VerifiablePresentation'],
      holder: ISSUER,
      proof: { ...PRESENTATION.proof, verificationMethod: SIGNED.proof.verificationMethod },
    },
  },
}
