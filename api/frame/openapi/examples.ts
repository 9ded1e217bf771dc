/** What a caller may send: the document's own tester begins with these, and a reader sees what a body looks like. */
const ISSUER = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
const HOLDER = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const V2 = 'https://www.w3.org/ns/credentials/v2'
const ID = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'

const unsigned = {
  '@context': [V2, { course: 'https://schema.org/courseCode' }],
  type: ['VerifiableCredential'],
  issuer: { id: ISSUER, name: 'Example University' },
  credentialSubject: { id: HOLDER, course: 'CS-101' },
}

const proof = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-rdfc-2022',
  created: '2027-01-01T00:00:00Z',
  verificationMethod: `${ISSUER}#z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK`,
  proofPurpose: 'assertionMethod',
  proofValue: 'z5obCSsrQxuFJdq6PrUMCtqY9obBHDYijNqqJzsiHDJt4hXnZFXUcmLDBnsrHFYmc1YkeZKgmfoZvhBhVbEwTMXFq',
}

const signed = { ...unsigned, id: `urn:uuid:${ID}`, validFrom: '2027-01-01T00:00:00Z', proof }

const base = {
  ...signed,
  proof: {
    ...proof,
    cryptosuite: 'bbs-2023',
    proofValue: 'u2V0ChVhQp1uTY9Q4c5B0YrXz8cKQnE0sW7s1Gmf3aJkqLd2vT6xNhRoPbUeIyMwZ',
  },
}

const presentation = {
  '@context': [V2],
  type: ['VerifiablePresentation'],
  holder: HOLDER,
  verifiableCredential: [signed],
  proof: {
    ...proof,
    proofPurpose: 'authentication',
    verificationMethod: `${HOLDER}#z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH`,
    challenge: 'h4HcaTkA5mYTy6lTcO5jLFoWKAvDHaGR',
    domain: 'verifier.example',
  },
}

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

/** By operation; every operation with a JSON body has one. */
export const REQUEST_EXAMPLES: Record<string, object> = {
  getOAuthAccessToken: {
    clientId: '7d0c5bfe-7a5b-49f3-9a1a-6c3f3f5c2a10',
    clientSecret: 'as it was told when the client was made',
    grantType: 'client_credentials',
    scope: 'semantic-credentials:read semantic-credentials:write',
  },
  getListOfLogs: {
    categories: ['credential-web-semantic'],
    types: [],
    ids: [],
    requestIds: [],
    dateFrom: '2027-01-01T00:00:00Z',
    dateTo: '2027-02-01T00:00:00Z',
  },
  createDID: { method: 'KEY', options: { keyType: 'ed25519' } },
  updateTenantSettings: { fetchUnknownContexts: true, vcApi: false },
  signWebSemanticCredential: {
    payload: unsigned,
    proofType: 'eddsa-rdfc-2022',
    revocable: true,
    tag: 'spring',
  },
  verifyWebSemanticCredentials: { payload: signed },
  setWebSemanticRevocationStatus: { is_revoked: true },
  setWebSemanticSuspensionStatus: { is_suspended: true },
  webSemanticRevocationStatusNotification: { to: [HOLDER] },
  createWebSemanticRevocation: { by: 'issuer', id: ISSUER, is_revoked: true },
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
    templateId: '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11',
    callbackUrl: 'https://verifier.example/callback',
  },
  verifyWebSemanticPresentationTemplate: { presentation, challenge: presentation.proof.challenge },
  deriveWebSemanticCredential: { credential: base, selectivePointers: ['/credentialSubject/course'] },
  registerJsonLdContext: { url: 'https://issuer.example/contexts/course/v1' },
  convertLinkedData: {
    data: { '@context': { name: 'http://schema.org/name' }, name: 'Ada' },
    options: { input_format: 'jsonld', output_encoding: 'text', output_format: 'n-quads' },
  },
  vcApiIssueCredential: {
    credential: { ...unsigned, id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1', validFrom: '2027-01-01T00:00:00Z' },
    options: { cryptosuite: 'eddsa-rdfc-2022', credentialStatus: { type: 'BitstringStatusListEntry' } },
  },
  vcApiIssueCredentialWithProofType: { credential: unsigned },
  vcApiVerifyCredential: { verifiableCredential: signed },
  vcApiDeriveCredential: {
    verifiableCredential: base,
    options: { selectivePointers: ['/credentialSubject/course'] },
  },
  vcApiUpdateStatus: {
    credentialId: `urn:uuid:${ID}`,
    credentialStatus: { type: 'BitstringStatusListEntry', statusPurpose: 'revocation' },
    status: true,
  },
  vcApiVerifyPresentation: {
    verifiablePresentation: presentation,
    options: { challenge: presentation.proof.challenge, domain: 'verifier.example' },
  },
  vcApiProvePresentation: {
    presentation: { '@context': [V2], type: ['VerifiablePresentation'], holder: ISSUER },
    options: { challenge: presentation.proof.challenge, domain: 'verifier.example' },
  },
}

const line = `${JSON.stringify({ payload: unsigned, proofType: 'eddsa-rdfc-2022' })}\n`

/** Bodies that are text, by operation and media type. */
export const TEXT_EXAMPLES: Record<string, Record<string, string>> = {
  createCredentialBatch: {
    'application/x-ndjson': line,
    'application/jsonl': line,
    'text/csv': `id,course,score:number,$tag\n${HOLDER},CS-101,1.3,spring\n`,
  },
}
