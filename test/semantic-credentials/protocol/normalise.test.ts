import test from 'ava'
import { extensions } from '../../../protocol/contexts/extensions.ts'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { type Json, type ProofType, prepareProof } from '../../../protocol/data-integrity/index.ts'
import type { Refusal } from '../../../protocol/errors.ts'
import { normaliseForVerify, normaliseSignPayload, withStatus } from '../../../protocol/semantic-credentials/index.ts'

const CLAIMS = {
  AlumniCredential: 'https://example.edu/vocab#AlumniCredential',
  ...Object.fromEntries(
    ['givenName', 'familyName', 'alumniOf', 'email', 'address', 'worksFor'].map((name) => [
      name,
      `https://schema.org/${name}`,
    ]),
  ),
}

const now = new Date('2026-03-01T12:00:00.123Z')
const DID = 'did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2'
const minimal = { '@context': [CONTEXT.credentialsV1], issuer: DID, credentialSubject: { id: 'did:example:1' } }

const normalise = (payload: unknown, { proofType = 'eddsa-rdfc-2022' as ProofType, revocable = false } = {}) =>
  normaliseSignPayload(payload, { proofType, revocable, now })

/** Code of each breach by its path. */
function breaches(payload: unknown, options = {}): Record<string, string> {
  try {
    normalise(payload, options)
  } catch (error) {
    return Object.fromEntries((error as Refusal).errors.map(({ path, code }) => [path, code]))
  }
  return {}
}

test('the specification’s own example becomes a W3C 1.1 credential (specification, signWebSemanticCredential)', (t) => {
  const { credential, ...facts } = normalise(
    {
      type: ['AlumniCredential'],
      '@context': ['https://optionalschema.example/'],
      issuer: {
        id: DID,
        name: 'ABC University',
        logoUrl: 'https://example.edu/logo.png',
        iconUrl: 'https://example.edu/icon.png',
      },
      credentialSubject: { givenName: 'Jamie' },
      name: 'Course credential',
      description: null,
      credentialBranding: { backgroundColor: '#B00AA0', watermarkImageUrl: null },
      expirationDate: { dateTime: '2027-02-01T10:12:38.156+02:00', useZ: true },
      issuanceDate: '2023-02-01T08:12:38.156Z',
    },
    { proofType: 'Ed25519Signature2018', revocable: true },
  )
  const { inPayload, ...plain } = facts
  t.is(inPayload('/credentialSubject/givenName'), '/credentialSubject/givenName')
  t.deepEqual(plain, {
    dataModel: '1.1',
    issuer: DID,
    types: ['AlumniCredential'],
    issuanceDate: '2023-02-01T08:12:38.156Z',
    expirationDate: '2027-02-01T08:12:38.156Z',
  })
  t.deepEqual(credential['@context'], [
    CONTEXT.credentialsV1,
    extensions,
    'https://optionalschema.example/',
    CONTEXT.revocationList2020,
  ])
  t.deepEqual(credential.type, ['VerifiableCredential', 'AlumniCredential'])
  t.is(credential.expirationDate, '2027-02-01T08:12:38.156Z')
  t.deepEqual(credential.credentialBranding, { backgroundColor: '#B00AA0' })
  t.false('description' in credential)
})

test('the first context chooses the data model; contexts for proof and status are added once', (t) => {
  const contexts = (context: unknown, options = {}) =>
    normalise({ ...minimal, '@context': context }, options).credential['@context']
  t.deepEqual(contexts(undefined), [CONTEXT.credentialsV1, CONTEXT.dataIntegrityV2])
  t.deepEqual(contexts(CONTEXT.credentialsV1, { proofType: 'Ed25519Signature2018' }), [CONTEXT.credentialsV1])
  t.deepEqual(contexts(CONTEXT.credentialsV2, { proofType: 'bbs-2023', revocable: true }), [CONTEXT.credentialsV2])
  t.deepEqual(contexts([CONTEXT.credentialsV2], { proofType: 'Ed25519Signature2018' }), [
    CONTEXT.credentialsV2,
    CONTEXT.ed25519Signature2018,
  ])
  const given = [CONTEXT.credentialsV1, CONTEXT.dataIntegrityV2, 'https://issuer.example/v1']
  t.deepEqual(contexts(given), given)
  t.deepEqual(breaches({ ...minimal, '@context': ['https://issuer.example/v1', CONTEXT.credentialsV2] }), {
    '/@context/1': 'credential.base_context',
  })
})

test('dates take the names of the data model, and default to the moment of signing', (t) => {
  const v2 = { ...minimal, '@context': CONTEXT.credentialsV2 }
  t.is(normalise(minimal).credential.issuanceDate, '2026-03-01T12:00:00Z')
  const dated = normalise({
    ...v2,
    issuanceDate: '2026-01-01T00:00:00Z',
    expirationDate: '2027-01-01T00:00:00Z',
  }).credential
  t.deepEqual(
    [dated.validFrom, dated.validUntil, dated.issuanceDate],
    ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', undefined],
  )
  t.deepEqual(breaches({ ...v2, validUntil: '2020-01-01T00:00:00Z' }), { '/validUntil': 'credential.date_order' })
  t.deepEqual(breaches({ ...v2, validFrom: '2026-01-01T00:00:00' }), { '/validFrom': 'credential.date_time' })
  t.deepEqual(breaches({ ...v2, validFrom: '2026-01-01T00:00:00Z', issuanceDate: '2026-01-02T00:00:00Z' }), {
    '/validFrom': 'credential.date_twice',
  })
  for (const date of ['2026-02-30T00:00:00Z', '2026-1-1', 1767225600, {}, { dateTime: 5 }, '']) {
    t.deepEqual(breaches({ ...v2, validUntil: date }), { '/validUntil': 'credential.date_time' }, JSON.stringify(date))
  }
})

test('every breach of the data model is answered with its path (VC Data Model 2.0, section 4)', (t) => {
  t.deepEqual(
    breaches({
      '@context': [CONTEXT.credentialsV2, 5],
      id: 'not a uri',
      type: [''],
      issuer: { name: 'nobody' },
      credentialSubject: [{ id: 'did:example:1' }, {}],
      credentialStatus: { id: 'urn:x:1' },
      credentialSchema: { type: 'JsonSchema' },
      evidence: ['text'],
      termsOfUse: [{ id: 'urn:x:2' }],
      refreshService: {},
      name: { '@value': 'n', url: 'u' },
      proof: { type: 'DataIntegrityProof' },
      credentialBranding: { colour: 'red' },
    }),
    {
      '/@context/1': 'credential.context',
      '/id': 'credential.uri',
      '/type': 'credential.type',
      '/issuer/id': 'credential.uri',
      '/credentialSubject/1': 'credential.subject',
      '/credentialStatus/type': 'credential.type',
      '/credentialSchema/id': 'credential.uri',
      '/evidence/0': 'credential.object',
      '/termsOfUse/0/type': 'credential.type',
      '/refreshService/type': 'credential.type',
      '/name': 'credential.text',
      '/proof': 'credential.not_yours',
      '/credentialBranding/colour': 'credential.branding',
    },
  )
})

test('what the libraries must not be given is refused before they see it', (t) => {
  let deep: unknown = 1
  for (let level = 0; level < 10_000; level += 1) deep = [deep]
  const subject = (more: unknown) => ({ ...minimal, credentialSubject: more })
  t.is(Object.values(breaches(subject({ deep })))[0], 'credential.too_deep')
  t.deepEqual(breaches(subject({ many: Array(20_001).fill(1) })), { '': 'credential.too_large' })
  const text = 'x'.repeat(100_000)
  t.deepEqual(breaches(subject({ many: Array(10).fill(text) })), {})
  t.deepEqual(breaches(subject({ many: Array(11).fill(text) })), { '': 'credential.too_large' })
  t.deepEqual(breaches(subject({ [text.repeat(11)]: 1 })), { '': 'credential.too_large' })
  t.deepEqual(breaches(subject(JSON.parse('{"__proto__":{"x":1}}'))), {
    '/credentialSubject/__proto__': 'credential.unsafe_name',
  })
  t.deepEqual(breaches(subject({ text: 'a\u0000b' })), { '/credentialSubject/text': 'credential.text' })
  t.deepEqual(breaches(subject({ text: '\ud800' })), { '/credentialSubject/text': 'credential.text' })
  t.deepEqual(breaches(subject(JSON.parse('{"n":1e400}'))), { '/credentialSubject/n': 'credential.number' })
  t.deepEqual(breaches({ ...minimal, '@context': Array(3000).fill('https://x.example/') }), {
    '/@context': 'credential.too_many_contexts',
  })
  for (const payload of [undefined, null, 'text', 5, []])
    t.throws(() => normalise(payload), { code: 'credential.malformed' })
})

test('a claim that no context defines is refused by its path', async (t) => {
  const prepare = (more: Json) => {
    const { credential } = normalise({ ...minimal, '@context': [CONTEXT.credentialsV2, CLAIMS], ...more })
    const request = {
      credential,
      proofType: 'eddsa-rdfc-2022',
      verificationMethod: `${DID}#key`,
      created: '2026-03-01T12:00:00Z',
    } as const
    return prepareProof(request, { documentLoader: createDocumentLoader() })
  }
  const places = async (more: Json) => {
    const error = await t.throwsAsync<Refusal>(prepare(more), { code: 'credential.term_undefined' })
    return error?.errors.map(({ path }) => path)
  }
  t.deepEqual(await places({ credentialSubject: { address: { floor: 3 } } }), ['/credentialSubject/address/floor'])
  t.deepEqual(await places({ credentialSubject: [{ id: 'did:x:1' }, { 'a/b~c': 1 }] }), [
    '/credentialSubject/1/a~1b~0c',
  ])
  t.deepEqual(await places({ type: ['PersonalCredential'] }), ['/type/1'])
  await t.throwsAsync(prepare({ credentialSubject: { worksFor: { id: 'relative' } } }), { code: 'credential.invalid' })
  const contexts = (context: unknown) => prepare({ '@context': [CONTEXT.credentialsV2, context] })
  await t.throwsAsync(contexts({ VerifiableCredential: 'https://evil.example/' }), { code: 'context.invalid' })
  await t.throwsAsync(contexts('https://unknown.example/v1'), { code: 'context.unknown' })
  await t.throwsAsync(contexts({ '@import': 'https://unknown.example/v1' }), { code: 'context.invalid' })
})

test('what JSON-LD would leave out without a word is refused: null, empty lists, @index', (t) => {
  const subject = { id: 'did:example:1', givenName: null, memberOf: [], address: { '@index': 'home', postalCode: '1' } }
  t.deepEqual(breaches({ ...minimal, credentialSubject: subject }), {
    '/credentialSubject/givenName': 'credential.unsigned',
    '/credentialSubject/memberOf': 'credential.unsigned',
    '/credentialSubject/address/@index': 'credential.unsigned',
  })
})

test('a status entry is the platform’s to add, and what is verified may come in the specification’s shapes', (t) => {
  const status = { id: 'urn:x:1', type: 'RevocationList2020Status' }
  t.deepEqual(breaches({ ...minimal, credentialStatus: status }, { revocable: true }), {
    '/credentialStatus': 'credential.not_yours',
  })
  const { credential } = normalise(minimal, { revocable: true })
  t.deepEqual(withStatus(credential, status), { ...credential, credentialStatus: status })
  const shaped = {
    '@context': CONTEXT.credentialsV1,
    type: 'VerifiableCredential',
    issuanceDate: { dateTime: '2026-01-01T00:00:00Z', useZ: true },
  }
  t.deepEqual(normaliseForVerify(shaped), {
    '@context': [CONTEXT.credentialsV1],
    type: ['VerifiableCredential'],
    issuanceDate: '2026-01-01T00:00:00Z',
  })
})
