import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
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
  // none of the bundled ones is here to protect the terms of a proof
  'created as plain text': [{ '@vocab': 'https://example.org/' }],
  'every member under one predicate': [
    {
      '@vocab': 'https://example.org/',
      created: { '@id': 'x:p', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
      cryptosuite: 'x:p',
      proofPurpose: { '@id': 'x:p', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
    },
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
    proof([{ '@vocab': 'x:' }], '2026-01-01T00:00:00Z'),
    proof([{ '@vocab': 'y:' }], '2026-01-01T00:00:00Z'),
  ]
  for (const options of shapes)
    t.is(await canonizeProofOptions(options, { documentLoader }), await canonize(options, { documentLoader }))
})

/** Two tenants may have pinned different content under one address. */
for (const [how, context] of [
  ['by its address', 'https://tenant.example/context'],
  [
    'within a term',
    { '@version': 1.1, verificationMethod: { '@id': 'x:m', '@context': 'https://tenant.example/context' } },
  ],
] as const)
  test(`a context that is named ${how} is looked up every time`, async (t) => {
    const canonicalAt = (vocabulary: string) => {
      const contexts = new Map([['https://tenant.example/context', { '@context': { '@vocab': vocabulary } }]])
      const options = proof([context, { '@vocab': vocabulary }], '2026-01-01T00:00:00Z')
      return [options, { documentLoader: createDocumentLoader({ contexts }) }] as const
    }
    for (const vocabulary of ['https://a.example/', 'https://b.example/']) {
      const [options, lookup] = canonicalAt(vocabulary)
      const canonical = await canonizeProofOptions(options, lookup)
      t.is(canonical, await canonize(options, lookup))
      t.true(canonical.includes(vocabulary))
    }
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
