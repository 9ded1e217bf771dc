import test from 'ava'
import { bundledContexts, CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { canonize, canonizeProofOptions } from '../../../protocol/data-integrity/canonize.ts'
import { prepareProof } from '../../../protocol/data-integrity/index.ts'

const documentLoader = createDocumentLoader()

const proof = (contexts: unknown[], created: string, more: object = {}) => ({
  '@context': contexts,
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-rdfc-2022',
  created,
  verificationMethod: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK#key',
  proofPurpose: 'assertionMethod',
  ...more,
})

const CREATED = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '1999-12-31T23:59:59Z', '2999-01-01T00:00:00Z']

const SHAPES: Record<string, unknown[]> = {
  'bundled contexts': [CONTEXT.credentialsV2],
  'a term of its own': [CONTEXT.credentialsV2, { course: 'https://schema.org/courseCode' }],
  'a vocabulary': [CONTEXT.credentialsV2, { '@vocab': 'https://example.org/' }],
  'Data Integrity after 1.1': [
    CONTEXT.credentialsV1,
    { course: 'https://schema.org/courseCode' },
    CONTEXT.dataIntegrityV2,
  ],
}

for (const [name, contexts] of Object.entries(SHAPES))
  test(`proof options whose time alone changes have the library's canonical form: ${name}`, async (t) => {
    for (const created of [...CREATED, ...CREATED]) {
      const options = proof(contexts, created)
      t.is(await canonizeProofOptions(options, { documentLoader }), await canonize(options, { documentLoader }))
    }
  })

test('other members and other contexts are not taken for those seen before', async (t) => {
  const shapes = [
    proof([CONTEXT.credentialsV2, { course: 'x:a' }], '2026-01-01T00:00:00Z', { domain: 'one.example' }),
    proof([CONTEXT.credentialsV2, { course: 'x:a' }], '2026-01-01T00:00:00Z', { domain: 'two.example' }),
    proof([CONTEXT.credentialsV2, { course: 'x:a' }], '2026-01-01T00:00:00Z', { proofPurpose: 'authentication' }),
    proof([CONTEXT.credentialsV2, { course: 'x:a' }], '2026-01-01T00:00:00Z', { created: '2026-01-01T00:00:00+00:00' }),
  ]
  for (const options of shapes)
    t.is(await canonizeProofOptions(options, { documentLoader }), await canonize(options, { documentLoader }))
})

const ADDRESS = 'https://tenant.example/context'
const TERMS = new Map(Object.entries(Object(bundledContexts.get(CONTEXT.dataIntegrityV2))['@context']))
const OTHER = { '@vocab': 'https://b.example/' }

/** Two tenants may have pinned different content under one address. */
for (const [how, context, terms] of [
  ['by its address', ADDRESS, Object.fromEntries(TERMS)],
  [
    'within a term',
    { DataIntegrityProof: { '@id': 'https://w3id.org/security#DataIntegrityProof', '@context': ADDRESS } },
    Object(TERMS.get('DataIntegrityProof'))['@context'],
  ],
] as const)
  test(`a context that is named ${how} is looked up every time`, async (t) => {
    const options = proof([{ id: '@id', type: '@type' }, context], '2026-01-01T00:00:00Z')
    const lookup = (content: object) => ({
      documentLoader: createDocumentLoader({ contexts: new Map([[ADDRESS, { '@context': content }]]) }),
    })
    t.is(await canonizeProofOptions(options, lookup(terms)), await canonize(options, lookup(terms)))
    await t.throwsAsync(canonizeProofOptions(options, lookup(OTHER)), { code: 'credential.invalid' })
  })

test('proof options whose terms mean something else have no canonical form (D-1171)', async (t) => {
  for (const contexts of [[OTHER], [{ ...OTHER, created: 'x:p', cryptosuite: 'x:p' }]])
    for (const created of CREATED)
      await t.throwsAsync(canonizeProofOptions(proof(contexts, created), { documentLoader }), {
        code: 'credential.invalid',
      })
})

const IMPORTING = { '@version': 1.1, '@import': 'https://tenant.example/context' }

test('a context that imports another is refused, in a document and behind an address', async (t) => {
  const request = (context: unknown) =>
    ({
      credential: { '@context': [CONTEXT.credentialsV2, context], type: ['VerifiableCredential'] },
      proofType: 'eddsa-rdfc-2022',
      verificationMethod: 'did:example:issuer#key',
      created: '2026-01-01T00:00:00Z',
    }) as const
  const contexts = new Map<string, object>([
    ['https://tenant.example/context', { '@context': { '@vocab': 'https://a.example/' } }],
    ['https://tenant.example/importing', { '@context': [IMPORTING] }],
  ])
  const loader = createDocumentLoader({ contexts })
  for (const context of [
    IMPORTING,
    { term: { '@id': 'x:t', '@context': IMPORTING } },
    'https://tenant.example/importing',
  ])
    await t.throwsAsync(prepareProof(request(context), { documentLoader: loader }), { code: 'context.invalid' })
})
