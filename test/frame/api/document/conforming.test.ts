import test from 'ava'
import { createDid, payload, sign } from '../../../support/credentials/credentials.ts'
import { answerFault, operationOf, requestFault } from '../../../support/frame/conforming.ts'
import { openWorld, type World } from '../../../support/world.ts'

let world: World

test.before(async () => {
  world = await openWorld()
  const body = { fetchUnknownContexts: false, vcApi: true }
  const settings = await world.ask('/v1/settings', { method: 'PUT', token: world.token, body })
  if (settings.status !== 200) throw new Error(`the VC API is off: ${settings.text}`)
})
test.after.always(() => world?.close())

const ask = (path: string, body: object) =>
  world.ask(`/v1/credentials/web-semantic/${path}`, { token: world.token, body })

test('a derived credential that discloses nothing conforms to its schema (bbs-2023, section 3.4)', async (t) => {
  const { credential } = await sign(world, await createDid(world, 'bls12381g2'), { proofType: 'bbs-2023' })
  const derived = await ask('derive', { credential, selectivePointers: [] })
  t.is(derived.status, 200)
  t.false('credentialSubject' in derived.json<{ credential: object }>().credential)
  t.is(answerFault('deriveWebSemanticCredential', 200, derived.json()), undefined)
})

test('a warning about a context that is no URI conforms to its schema', async (t) => {
  const context = 'broken: \u008a'
  const presentation = {
    '@context': ['https://www.w3.org/ns/credentials/v2', context],
    type: ['VerifiablePresentation'],
  }
  const verified = await ask('presentations/verify', { presentation })
  t.is(verified.status, 200)
  t.like(verified.json<{ warnings: object[] }>().warnings, [{ type: 'UntrustedContext', url: context }])
  t.is(answerFault('verifyWebSemanticPresentationTemplate', 200, verified.json()), undefined)
})

const TEMPLATE = {
  name: 'Course certificate',
  type: 'CourseCredential',
  additional_types: [],
  contexts: [{ '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  revocable: false,
}

test('null is absent where the API reads it so: of an enum, and of an option of the VC API', (t) => {
  t.is(
    requestFault('createWebSemanticCredentialTemplate', { ...TEMPLATE, proof_type: null, contexts: null }),
    undefined,
  )
  const verifiableCredential = { ...payload('did:example:issuer'), proof: { type: 'DataIntegrityProof' } }
  const options = { presentationHeader: null, selectivePointers: null }
  t.is(requestFault('vcApiDeriveCredential', { verifiableCredential, options }), undefined)
})

test('a proof with the longest challenge and domain that the VC API takes conforms to its schema', async (t) => {
  const holder = await createDid(world)
  const presentation = { '@context': ['https://www.w3.org/ns/credentials/v2'], type: 'VerifiablePresentation', holder }
  const options = { challenge: 'c'.repeat(4096), domain: 'd'.repeat(4096) }
  const proved = await world.ask('/vc-api/presentations/prove', { token: world.token, body: { presentation, options } })
  t.is(proved.status, 201, proved.text)
  t.is(answerFault('vcApiProvePresentation', 201, proved.json()), undefined)
})

const REQUEST = { domain: 'verifier.example', name: 'Proof', query: [{ type: 'DIDAuth' }] }

const ISSUER = 'did:example:issuer'
const SIGN = { proofType: 'eddsa-rdfc-2022', revocable: false }
const COMPLETE = payload(ISSUER, { validFrom: '2027-01-01T00:00:00Z' })
const SIGNED = { ...COMPLETE, proof: { type: 'DataIntegrityProof' } }
const PRESENTATION = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiablePresentation'],
  holder: ISSUER,
}
const DIGEST = `${'A'.repeat(43)}=`
const MULTIHASH = `uEiA${'A'.repeat(43)}`

const exampleQuery = (claims: unknown) => [
  { type: 'QueryByExample', credentialQuery: [{ example: { credentialSubject: { claims } } }] },
]

/** Requests that the API refuses with 400, each beside one that it takes: the document says the difference. */
const LIMITS: [operationId: string, right: object, wrong: object][] = [
  ['createWebSemanticPresentationRequest', REQUEST, { ...REQUEST, templateId: '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11' }],
  ['createWebSemanticPresentationRequest', REQUEST, { domain: 'verifier.example' }],
  ['createWebSemanticCredentialTemplate', TEMPLATE, { ...TEMPLATE, additional_types: ['A', 'A'] }],
  ['createWebSemanticCredentialTemplate', TEMPLATE, { ...TEMPLATE, contexts: 0 }],
  [
    'vcApiUpdateStatus',
    { credentialId: 'urn:a:b', credentialStatus: { type: 'BitstringStatusListEntry' }, status: true },
    { credentialId: 'urn:a:b', credentialStatus: { type: 'A', statusListIndex: '1' }, status: true },
  ],
  ['createWebSemanticCredentialTemplate', { ...TEMPLATE, expires_in: { days: 1 } }, { ...TEMPLATE, expires_in: {} }],
  [
    'createWebSemanticCredentialTemplate',
    { ...TEMPLATE, expires_in: { years: 0, seconds: 1 } },
    { ...TEMPLATE, expires_in: { years: 0, seconds: 0 } },
  ],
  ['createWebSemanticCredentialTemplate', TEMPLATE, { ...TEMPLATE, description: 'a\u0085b' }],
  ...(
    [
      [{ map_from: 'claims.course', default_value: null }, {}],
      [{ default_value: false, required: true }, { required: true }],
      [{ default_value: {} }, { default_value: null }],
      [{ address: 'claims.address' }, { address: 'claims.address', map_from: 'claims.course' }],
      [{ authentication_provider: { url: 'claims.url' } }, { authentication_provider: {} }],
    ] as const
  ).map(([right, wrong]): [string, object, object] => [
    'createWebSemanticCredentialTemplate',
    { ...TEMPLATE, claim_mappings: { course: right } },
    { ...TEMPLATE, claim_mappings: { course: wrong } },
  ]),
  [
    'createWebSemanticPresentationTemplate',
    { ...REQUEST, query: exampleQuery([[1], { name: null }]) },
    { ...REQUEST, query: exampleQuery([[1], { name: [] }]) },
  ],
  [
    'convertLinkedData',
    { data: {}, options: { input_format: 'jsonld', output_encoding: 'base64', output_format: 'cborld' } },
    { data: {}, options: { input_format: 'jsonld', output_encoding: 'text', output_format: 'cborld' } },
  ],
  [
    'vcApiVerifyCredential',
    { verifiableCredential: SIGNED, options: { checks: ['credentialStatus', 'proof'] } },
    { verifiableCredential: SIGNED, options: { checks: ['credentialStatus'] } },
  ],
  [
    'vcApiVerifyCredential',
    { verifiableCredential: SIGNED, options: { checks: ['proof'] } },
    { verifiableCredential: SIGNED, options: { checks: [] } },
  ],
  [
    'vcApiDeriveCredential',
    { verifiableCredential: SIGNED, options: { presentationHeader: 'AAA' } },
    { verifiableCredential: SIGNED, options: { presentationHeader: 'A' } },
  ],
  [
    'vcApiProvePresentation',
    { presentation: PRESENTATION, options: { cryptosuite: 'ecdsa-rdfc-2019' } },
    { presentation: PRESENTATION, options: { cryptosuite: 'bbs-2023' } },
  ],
  [
    'vcApiProvePresentation',
    { presentation: { ...PRESENTATION, type: ['Other', 'VerifiablePresentation'] } },
    { presentation: { ...PRESENTATION, type: ['Other'] } },
  ],
  ['vcApiIssueCredential', { credential: COMPLETE }, { credential: { ...COMPLETE, type: 'Other' } }],
  [
    'vcApiIssueCredential',
    { credential: COMPLETE, options: { credentialStatus: [{}, { statusPurpose: 'suspension' }] } },
    { credential: COMPLETE, options: { credentialStatus: { statusPurpose: 'suspension' } } },
  ],
  [
    'vcApiIssueCredential',
    { credential: COMPLETE, options: { credentialStatus: [{ statusPurpose: 'revocation' }] } },
    { credential: COMPLETE, options: { credentialStatus: [{}, { statusPurpose: 'revocation' }] } },
  ],
  [
    'vcApiIssueCredential',
    { credential: { ...COMPLETE, relatedResource: { id: 'https://example.edu/a', digestSRI: `sha256-${DIGEST}` } } },
    { credential: { ...COMPLETE, relatedResource: { id: 'https://example.edu/a', digestSRI: 'sha256-AAAA' } } },
  ],
  [
    'signWebSemanticCredential',
    {
      ...SIGN,
      payload: payload(ISSUER, { relatedResource: { id: 'https://example.edu/a', digestMultibase: MULTIHASH } }),
    },
    { ...SIGN, payload: payload(ISSUER, { relatedResource: { id: 'https://example.edu/a' } }) },
  ],
  [
    'signWebSemanticCredential',
    { payload: payload('did:example:issuer'), proofType: 'eddsa-rdfc-2022', revocable: false },
    {
      payload: payload('did:example:issuer', { credentialSchema: { type: 'JsonSchema' } }),
      proofType: 'eddsa-rdfc-2022',
      revocable: false,
    },
  ],
  [
    'vcApiIssueCredential',
    { credential: payload('did:example:issuer', { validFrom: '2027-01-01T00:00:00Z' }) },
    { credential: payload('did:example:issuer', { validFrom: { dateTime: '2027-01-01T00:00:00Z' } }) },
  ],
]

for (const [index, [operationId, right, wrong]] of LIMITS.entries())
  test(`the schema of ${operationId} excludes what the API refuses (${index})`, async (t) => {
    t.is(requestFault(operationId, right), undefined)
    t.truthy(requestFault(operationId, wrong))
    const { path = '' } = operationOf(operationId) ?? {}
    const reply = await world.ask(path, { token: world.token, body: wrong })
    t.is(reply.status, 400, reply.text)
  })
