import { randomBytes } from 'node:crypto'
import test from 'ava'
import jsonld from 'jsonld'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import {
  createProofCheck,
  deriveCredential,
  type Json,
  type ProofType,
  signCredential,
} from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { normaliseForVerify, verifyCredential } from '../../protocol/semantic-credentials/index.ts'
import { bbsSigner, ed25519Signer, resolveTestDid, type TestSigner } from '../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })
const NOW = new Date('2026-03-01T12:00:00Z')
const [BEFORE, AFTER] = ['2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z']
const ID = 'urn:uuid:0f5b3d3e-5d0a-4a4c-9b0e-6d9f0c1a2b3c'
const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const DATE_TIME = 'http://www.w3.org/2001/XMLSchema#dateTime'
const TYPE = 'https://example.org/Thing'

type Model = '1.1' | '2.0'
const node = (name: string, more: Json = {}): Json => ({ id: `https://example.org/${name}`, type: TYPE, ...more })

/** What decides about a credential (D-130), each with a value that leaves the credential valid. */
const VALUES: Record<string, unknown> = {
  holder: 'did:example:holder',
  credentialSubject: [
    { id: 'did:example:one', course: 'CS-101' },
    { id: 'did:example:two', course: 'CS-102' },
  ],
  credentialStatus: node('status'),
  credentialSchema: node('schema'),
  issuanceDate: BEFORE,
  expirationDate: AFTER,
  validFrom: BEFORE,
  validUntil: AFTER,
  termsOfUse: node('terms'),
  evidence: node('evidence'),
  refreshService: node('refresh'),
  relatedResource: { id: 'https://example.org/resource' },
}
const MEMBERS = ['issuer', ...Object.keys(VALUES)]
const DATES = ['issuanceDate', 'expirationDate', 'validFrom', 'validUntil']
/** Whose absence is a breach of syntax already: said a second time instead of moved away. */
const REQUIRED: Record<Model, string[]> = { '1.1': ['issuer', 'issuanceDate'], '2.0': ['issuer'] }

const term = (name: string, type: string) => ({ [name]: { '@id': CREDENTIALS + name, '@type': type } })
const OWN: Record<Model, Json> = {
  '1.1': term('relatedResource', '@id'),
  '2.0': { ...term('holder', '@id'), ...term('issuanceDate', DATE_TIME), ...term('expirationDate', DATE_TIME) },
}

function unsigned(model: Model, issuer: string, more: Json = {}): Json {
  const digest = { digestSRI: `sha384-${Buffer.alloc(48).toString('base64')}` }
  return {
    '@context': [
      ...(model === '1.1' ? [CONTEXT.credentialsV1, CONTEXT.dataIntegrityV2] : [CONTEXT.credentialsV2]),
      {
        ...OWN[model],
        course: 'https://schema.org/courseCode',
        about: { '@id': 'https://schema.org/about', '@type': '@id' },
      },
    ],
    id: ID,
    type: ['VerifiableCredential'],
    issuer,
    ...VALUES,
    ...(model === '2.0' && { relatedResource: { ...Object(VALUES.relatedResource), ...digest } }),
    about: { id: ID },
    ...more,
  }
}

const libraryOptions = { documentLoader, safe: true, base: null, rdfDirection: 'i18n-datatype' } as const
const statements = ({ proof: _, ...document }: Json): Promise<string> =>
  jsonld.canonize(document, { ...libraryOptions, canonizeOptions: { algorithm: 'RDFC-1.0' } })

interface Moved {
  /** The document without what is moved. */
  rest: Json
  /** What is moved, as the document had it, and as JSON-LD expands it. */
  value: unknown
  expanded: unknown
  member: string
}

const withContext = ({ '@context': context, ...rest }: Json, own: Json): Json => ({
  '@context': [context, own].flat(),
  ...rest,
})

/** All places where JSON-LD makes the same statement of the credential: what any holder can do to it. */
const WAYS: Record<string, (moved: Moved) => Json> = {
  'under its absolute IRI': ({ rest, expanded, member }) => ({ ...rest, [CREDENTIALS + member]: expanded }),
  'under an alias': ({ rest, expanded, member }) => ({
    ...withContext(rest, { other: { '@id': CREDENTIALS + member } }),
    other: expanded,
  }),
  'in @nest': ({ rest, expanded, member }) => ({ ...rest, '@nest': { [CREDENTIALS + member]: expanded } }),
  'in an alias of @nest': ({ rest, expanded, member }) => ({
    ...withContext(rest, { more: '@nest' }),
    more: { [CREDENTIALS + member]: expanded },
  }),
  'in @included': ({ rest, expanded, member }) => ({
    ...rest,
    '@included': [{ '@id': ID, [CREDENTIALS + member]: expanded }],
  }),
  'in another node of the same id': ({ rest, expanded, member }) => ({
    ...rest,
    about: { id: ID, [CREDENTIALS + member]: expanded },
  }),
  'in @reverse': ({ rest, expanded, member }) => ({
    ...rest,
    '@included': [expanded].flat().map((each) => ({
      ...Object(each),
      '@reverse': { [CREDENTIALS + member]: { '@id': ID } },
    })),
  }),
  'under an alias in reverse': ({ rest, expanded, member }) => ({
    ...withContext(rest, { decides: { '@reverse': CREDENTIALS + member, '@type': '@id' } }),
    '@included': [expanded].flat().map((each) => ({ ...Object(each), decides: ID })),
  }),
}

/** The document with its member moved; undefined where that is not possible: text is the subject of no statement. */
async function move(document: Json, model: Model, member: string, way: string): Promise<Json | undefined> {
  if (way.includes('reverse') && DATES.includes(member)) return undefined
  const [root] = (await jsonld.expand(document, libraryOptions)) as Json[]
  const expanded = [root?.[CREDENTIALS + member] ?? []].flat()
  const { [member]: value, ...without } = document
  if (member === 'credentialSubject') {
    const rest = { ...without, [member]: [value].flat().slice(0, 1) }
    return WAYS[way]?.({ rest, value, expanded: expanded.slice(1), member })
  }
  const rest = REQUIRED[model].includes(member) ? document : without
  return WAYS[way]?.({ rest, value, expanded, member })
}

async function verify(credential: Json) {
  const rules = { now: NOW, resolveDid: resolveTestDid, checkProof, status: async () => ({ state: 'valid' }) as const }
  const { verified, reason } = await verifyCredential({ credential: normaliseForVerify(credential), ...rules })
  return { verified, types: reason.map(({ type }) => type), text: reason.map(({ message }) => message).join() }
}

/** Nothing mandatory in a bbs-2023 proof: so do issuers elsewhere, and it leaves the holder the most room. */
async function signed(proofType: ProofType, signer: TestSigner, credential: Json): Promise<Json> {
  const request = { credential, proofType, signer, now: NOW, hmacKey: randomBytes(32), mandatoryPointers: [] }
  const base = await signCredential(request, { documentLoader })
  if (proofType !== 'bbs-2023') return base
  return deriveCredential({ credential: base, disclose: 'everything' }, { documentLoader })
}

const SUITES: [ProofType, () => TestSigner | Promise<TestSigner>][] = [
  ['eddsa-rdfc-2022', ed25519Signer],
  ['bbs-2023', bbsSigner],
]

for (const [proofType, makeSigner] of SUITES)
  for (const model of ['1.1', '2.0'] as const) {
    const title = `${proofType}, data model ${model} (D-130)`
    const made = Promise.resolve(makeSigner()).then(async (signer) => {
      const document = unsigned(model, signer.did)
      return { signer, document, credential: await signed(proofType, signer, document) }
    })

    test(`a credential with all that decides, each in its member, verifies: ${title}`, async (t) => {
      t.like(await verify((await made).credential), { verified: true, types: [] })
    })

    for (const member of MEMBERS)
      test(`${member} counts in its own member alone: ${title}`, async (t) => {
        const { signer, document, credential } = await made
        const before = await statements(document)
        for (const way of Object.keys(WAYS)) {
          const moved = await move(document, model, member, way)
          if (!moved) continue
          t.is(await statements(moved), before, `${way}: signed alike`)
          const verdict = await verify({ ...moved, proof: credential.proof })
          t.like(verdict, { verified: false, types: ['Context'] }, way)
          if (/IRI|alias$|nest/.test(way)) t.true(verdict.text.includes(`/${member} `), `${way}: ${verdict.text}`)
          const request = { credential: moved, proofType, signer, now: NOW, hmacKey: randomBytes(32) }
          const refused = await t.throwsAsync(
            signCredential({ ...request, mandatoryPointers: [] }, { documentLoader }),
            {
              instanceOf: Refusal,
            },
          )
          t.like(refused, { code: 'credential.invalid' }, way)
        }
      })
  }

for (const [member, model, value, type] of [
  ['validUntil', '2.0', BEFORE, 'Expired'],
  ['expirationDate', '1.1', BEFORE, 'Expired'],
  ['validFrom', '2.0', AFTER, 'NotYetValid'],
] as const)
  test(`an end and a beginning do not go away by a move: ${member}, data model ${model} (D-130)`, async (t) => {
    const signer = ed25519Signer()
    const others = Object.fromEntries(DATES.filter((name) => name !== 'issuanceDate').map((name) => [name, undefined]))
    const document = JSON.parse(JSON.stringify(unsigned(model, signer.did, { ...others, [member]: value }))) as Json
    const credential = await signed('eddsa-rdfc-2022', signer, document)
    t.like(await verify(credential), { verified: false, types: [type] })
    const { [member]: _, ...rest } = credential
    const literal = { '@value': value, '@type': DATE_TIME }
    for (const moved of [
      { ...rest, [CREDENTIALS + member]: literal },
      { ...rest, '@nest': { [member]: value } },
      { ...rest, about: { id: ID, [CREDENTIALS + member]: literal } },
    ])
      t.like(await verify(moved), { verified: false, types: ['Context'] })
  })

for (const [member, model, value, another] of [
  ['issuanceDate', '2.0', BEFORE, '2026-02-01T00:00:00Z'],
  ['expirationDate', '2.0', AFTER, '2027-12-31T00:00:00Z'],
  ['holder', '2.0', 'did:example:holder', 'did:example:other'],
  ['relatedResource', '1.1', 'https://example.org/resource', 'https://example.org/other-resource'],
] as const)
  test(`${member} is what its IRI says, and no other statement under its name: data model ${model} (D-130)`, async (t) => {
    const signer = ed25519Signer()
    const type = DATES.includes(member) ? DATE_TIME : '@id'
    const { [member]: _, ...rest } = unsigned(model, signer.did)
    /** Two statements, the one that decides and another one, each under a name of its own. */
    const named = (names: { deciding?: string; other: string }): Json => ({
      ...withContext(rest, {
        [names.other]: { '@id': 'https://example.org/other', '@type': type },
        ...(names.deciding && { [names.deciding]: { '@id': CREDENTIALS + member, '@type': type } }),
      }),
      [names.other]: another,
      ...(names.deciding && { [names.deciding]: value }),
    })
    for (const [honest, renamed] of [
      [named({ other: 'other' }), named({ other: member })],
      [named({ other: 'other', deciding: member }), named({ other: member, deciding: 'other' })],
    ] as const) {
      t.is(await statements(renamed), await statements(honest))
      const { proof, ...credential } = await signed('eddsa-rdfc-2022', signer, honest)
      t.like(await verify({ ...credential, proof }), { verified: true, types: [] })
      const verdict = await verify({ ...renamed, proof })
      t.like(verdict, { verified: false, types: ['Context'] })
      t.true(verdict.text.includes(`/${member} `), verdict.text)
    }
  })

test('a credential in a presentation of the same id decides in its own graph, and not about the presentation (D-130)', async (t) => {
  const signer = ed25519Signer()
  const credential = await signed('eddsa-rdfc-2022', signer, unsigned('2.0', signer.did))
  const presentation = {
    '@context': [CONTEXT.credentialsV2],
    id: ID,
    type: ['VerifiablePresentation'],
    holder: signer.did,
    verifiableCredential: [credential],
  }
  const request = { credential: presentation, proofType: 'eddsa-rdfc-2022', signer, now: NOW } as const
  await t.notThrowsAsync(signCredential(request, { documentLoader }))
})
