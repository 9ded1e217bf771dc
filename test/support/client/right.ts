/** A program in strict TypeScript that uses the generated types rightly. It compiles, and it runs against a platform. */
export const RIGHT = `
import { connect, Problem, type Schemas } from '@countersign/client'

type Unsigned = Schemas['UnsignedCredential']

export async function run(baseUrl: string, clientId: string, clientSecret: string) {
  const client = connect({ baseUrl, clientId, clientSecret })
  const token = await client.post('/v1/auth/token', {
    body: { clientId, clientSecret, grantType: 'client_credentials', scope: null },
  })
  const seconds: number = token.expires_in
  const bearer: 'Bearer' = token.token_type

  const created = await client.post('/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } })
  const state: 'PROCESSING' | 'COMPLETED' | 'FAILED' = created.registrationStatus
  const { did } = created
  const listed = await client.get('/v1/dids', { params: { query: { limit: 5, page: 1 } } })
  const total: number = listed.totalCount
  const resolved = await client.get('/v1/dids/{id}', { params: { path: { id: did } } })
  const method = resolved.didDocument.verificationMethod?.[0]?.publicKeyMultibase

  const payload: Unsigned = {
    '@context': ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }],
    type: ['VerifiableCredential'],
    issuer: { id: did, name: 'Example University' },
    credentialSubject: { id: 'did:example:ada', course: 'CS-101' },
    validUntil: '2099-01-01T00:00:00Z',
  }
  const signed = await client.post('/v1/credentials/web-semantic/sign', {
    body: { payload, proofType: 'eddsa-rdfc-2022', revocable: true, tag: 'client' },
  })
  const credential: Schemas['IssuedCredential'] = signed.credential
  const verified = await client.post('/v1/credentials/web-semantic/verify', { body: { payload: credential } })
  const reasons: Schemas['ReasonType'][] = verified.reason.map(({ type }) => type)

  const path = { id: signed.id }
  await client.post('/v1/credentials/web-semantic/{id}/revocation-status', { params: { path }, body: { is_revoked: true } })
  const status = await client.get('/v1/credentials/web-semantic/{id}/revocation-status', { params: { path } })
  const again = await client.post('/v1/credentials/web-semantic/verify', { body: { payload: credential, trustedContexts: null } })

  const row = { payload, proofType: 'eddsa-rdfc-2022' }
  const batch = await client.post('/v1/credentials/batches', {
    params: { query: { tag: 'batch', revocable: false } },
    headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': 'a-batch-of-the-client' },
    body: \`\${JSON.stringify(row)}\\n\`,
    bodySerializer: (text) => text,
  })
  const progress = await client.get('/v1/credentials/batches/{id}', { params: { path: { id: batch.id } } })

  const template = await client.post('/v1/credentials/web-semantic/configurations', {
    body: {
      name: 'Course certificate',
      type: 'AlumniCredential',
      additional_types: [],
      contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
      issuer: { name: 'Example University', icon_url: null },
      proof_type: 'eddsa-rdfc-2022',
      revocable: false,
      expires_in: { years: 1 },
      claim_mappings: { course: 'claims.course', givenName: { map_from: 'claims.given_name', required: true } },
    },
  })
  const version: number = template.version
  const fromTemplate = await client.post('/v1/credentials/web-semantic/configurations/{id}/sign', {
    params: { path: { id: template.id } },
    body: { claims: { id: 'did:example:ada', course: 'CS-101', given_name: 'Ada' }, issuer_did: did },
  })

  const request = await client.post('/v1/credentials/web-semantic/presentations/requests', {
    body: {
      domain: 'verifier.example',
      name: 'Proof of a course',
      query: [{ type: 'QueryByExample', credentialQuery: [{ example: { type: 'AlumniCredential' } }] }],
      expiresTime: Date.now() + 60_000,
    },
  })
  const ends: number = request.expiresTime
  const presented = await client.post('/v1/credentials/web-semantic/presentations/verify', {
    body: {
      presentation: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiablePresentation'],
        verifiableCredential: [fromTemplate.credential],
      },
      challenge: request.challenge,
    },
  })
  const missing = await client
    .get('/v1/credentials/web-semantic/{id}', { params: { path: { id: batch.id } } })
    .catch((error: unknown) => (error instanceof Problem ? error.code : String(error)))

  return {
    seconds,
    state,
    total,
    key: method !== undefined,
    verified: verified.verified && reasons.length === 0,
    isRevoked: status.isRevoked,
    after: again.reason.map(({ type }) => type),
    rows: progress.total,
    version: fromTemplate.template_version === version,
    open: request.state === 'open' && ends > Date.now(),
    failedChecks: presented.checks.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check),
    missing,
  }
}
`
