import test from 'ava'
import { ENCODED, SEMANTIC_ENCODED } from '../../../../api/compact-credentials/examples.ts'
import { PDF_TEMPLATE_EXAMPLE } from '../../../../api/compact-credentials/pdf.examples.ts'
import { MOBILE_SIGN_EXAMPLE } from '../../../../api/mobile-credentials/answers.ts'
import { operationOf, requestFault } from '../../../support/frame/conforming.ts'
import { openWorld, type World } from '../../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ID = '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11'
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
const TEMPLATE = { type: 'CourseCredential', credential_mappings: {} }
const { template_file: _pdf, ...WITHOUT_PDF } = PDF_TEMPLATE_EXAMPLE

const mapped = (course: object) => ({ ...TEMPLATE, credential_mappings: { course } })
const mobile = (members: object) => ({
  ...MOBILE_SIGN_EXAMPLE,
  payload: { ...MOBILE_SIGN_EXAMPLE.payload, ...members },
})
const semantic = (type: string[]) => ({ payload: { type, credentialSubject: { course: 'CS-101' } }, revocable: false })

/** Requests that the API refuses with 400, each beside one that the document allows: it says the difference. */
const LIMITS: [operationId: string, right: object, wrong: object][] = [
  ['getCompactCredentialQRCode', { payload: ENCODED, width: 2048 }, { payload: ENCODED, width: 2049 }],
  ['getCompactSemanticCredentialQRCode', { payload: SEMANTIC_ENCODED }, { payload: SEMANTIC_ENCODED, width: 2049 }],
  ['setCompactCredentialRevocationStatus', { is_revoked: true }, {}],
  ['setCompactCredentialRevocationStatus', { isRevoked: true }, { isRevoked: true, is_revoked: true }],
  ['setCompactSemanticCredentialRevocationStatus', { isRevoked: true }, { isRevoked: true, is_revoked: true }],
  [
    'createCompactCredentialTemplate',
    { ...TEMPLATE, expiration: { days: 1 } },
    { ...TEMPLATE, expiration: { days: 0 } },
  ],
  ['createCompactCredentialTemplate', TEMPLATE, { ...TEMPLATE, type: 'verifiableCredential' }],
  ['createCompactCredentialTemplate', mapped({ map_from: 'claims.course' }), mapped({})],
  ['createCompactCredentialTemplate', mapped({ default_value: 0 }), mapped({ required: true })],
  ['createCompactSemanticCredentialTemplate', mapped({ map_from: 'a.b' }), mapped({ map_from: 'a..b' })],
  ['signCompactSemanticCredential', semantic(['Course']), semantic(Array.from({ length: 21 }, (_, at) => `T${at}`))],
  ['createCompactCredentialPdfTemplate', PDF_TEMPLATE_EXAMPLE, WITHOUT_PDF],
  ['createCompactCredentialPdfTemplate', PDF_TEMPLATE_EXAMPLE, { ...WITHOUT_PDF, template_file: null }],
  ['createCompactCredentialPdfTemplate', PDF_TEMPLATE_EXAMPLE, { ...WITHOUT_PDF, template_file: 'AAA' }],
  [
    'createCompactCredentialPdfTemplate',
    { ...PDF_TEMPLATE_EXAMPLE, fonts: [{ name: 'A', file_name: 'A.TTF' }] },
    { ...PDF_TEMPLATE_EXAMPLE, fonts: [{ name: 'A', file_name: 'A.woff' }] },
  ],
  ['createMobileCredentialsIaca', { country: 'NL' }, {}],
  ['createMobileCredentialsIaca', { certificatePem: PEM }, { certificatePem: PEM, country: 'NL' }],
  ['signMobileCredential', MOBILE_SIGN_EXAMPLE, mobile({ docType: '' })],
  ['signMobileCredential', mobile({ docType: 'd'.repeat(255) }), mobile({ docType: 'd'.repeat(256) })],
  ['signMobileCredential', mobile({ itemsToSign: { a: { b: 1 } } }), mobile({ itemsToSign: { a: {} } })],
  ['verifyMobileCredential', { payload: 'AAA' }, { payload: '' }],
  ['verifyMobileCredential', { payload: 'AA==' }, { payload: 'AAB' }],
  ['verifyMobileCredential', { payload: 'AA' }, { payload: 'AA', session: { transcript: 'A' } }],
]

for (const [index, [operationId, right, wrong]] of LIMITS.entries())
  test(`the schema of ${operationId} excludes what the API refuses (formats, ${index})`, async (t) => {
    t.is(requestFault(operationId, right), undefined)
    t.truthy(requestFault(operationId, wrong))
    const path = (operationOf(operationId)?.path ?? '').replace('{id}', ID)
    const reply = await world.ask(path, { token: world.token, body: wrong })
    t.is(reply.status, 400, reply.text)
  })

const HOOK = { events: ['OpenIdCredentialIssued'] }
const SOURCE = { name: 'Registry', request_parameters: {} }
const oauth = (token_endpoint: string) => ({ client_id: 'a b', client_secret: ' s ', token_endpoint, scope: 'A:b [c]' })

/** What the platform takes, of forms that few examples have. */
const TAKEN: [operationId: string, body: object][] = [
  ...['https://hooks.university.edu', 'HTTPS://München.de:8443/a%20b/@me', 'https://a.co.uk/A_b.c;d=1'].map(
    (url): [string, object] => ['createWebhook', { ...HOOK, url }],
  ),
  ...['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS/', `~!{${'x'.repeat(252)}`].map((secret): [string, object] => [
    'createWebhook',
    { ...HOOK, url: 'https://hooks.university.edu/a', secret },
  ]),
  ...['Ärzte.de', 'id.uni.nl.', '例え。jp', 'a.b.c.d.e.f.nl'].map((domain): [string, object] => [
    'createDomain',
    { domain, name: 'A' },
  ]),
  ...['https://Claims.university.edu:8443/students#v2', 'https://例え.jp'].map((url): [string, object] => [
    'createClaimSource',
    { ...SOURCE, url },
  ]),
  [
    'createClaimSource',
    {
      ...SOURCE,
      url: 'https://claims.university.edu/a',
      request_parameters: {
        a: { map_from: 'https://idp_edu/Name.first' },
        b: { map_from: 'authentication_provider.url' },
      },
      authorization: { ApiKey: { value: 'Bearer *a b', header: 'Authorization' } },
    },
  ],
  [
    'createClaimSource',
    {
      ...SOURCE,
      url: 'https://claims.university.edu/a',
      authorization: { OAuthClientCredentials: oauth('https://login.university.edu:8443/t?tenant=A') },
    },
  ],
]

for (const [index, [operationId, body]] of TAKEN.entries())
  test(`the schema of ${operationId} includes what the API takes (${index})`, async (t) => {
    t.is(requestFault(operationId, body), undefined)
    const path = operationOf(operationId)?.path ?? ''
    const reply = await world.ask(path, { token: world.token, body })
    t.true(reply.status === 200 || reply.status === 201, reply.text)
  })

test('a template of a PDF may be changed without its files', (t) => {
  t.is(requestFault('updateCompactCredentialPdfTemplate', WITHOUT_PDF), undefined)
  t.is(requestFault('updateCompactCredentialPdfTemplate', { ...WITHOUT_PDF, template_file: null }), undefined)
})
