import { randomBytes } from 'node:crypto'
import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import {
  createProofCheck,
  deriveCredential,
  type Json,
  type ProofType,
  signCredential,
} from '../../protocol/data-integrity/index.ts'
import { assertPlainProof } from '../../protocol/data-integrity/plain.ts'
import { toMultibase } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { bbsSigner, ed25519Signer, p256Signer, type TestSigner } from '../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const check = createProofCheck({ documentLoader })

const SECURITY = 'https://w3id.org/security#'
const DATE = 'http://www.w3.org/2001/XMLSchema#dateTime'

/** Whether a proof verifies, or why it is refused. */
async function verdict({ proof, ...document }: Json, signer: TestSigner): Promise<string> {
  const method = {
    id: signer.verificationMethod,
    type: 'Multikey',
    controller: signer.did,
    publicKeyMultibase: toMultibase(signer),
  }
  try {
    const answer = await check({ document, proof: Object(proof), method })
    return answer.verified ? 'verified' : 'no match'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors[0]?.code ?? error.code
  }
}

/** Terms of a proof in which what is signed as challenge and domain comes from members that nobody reads. */
const TERMS = {
  created: { '@id': 'http://purl.org/dc/terms/created', '@type': DATE },
  verificationMethod: { '@id': `${SECURITY}verificationMethod`, '@type': '@id' },
  proofPurpose: {
    '@id': `${SECURITY}proofPurpose`,
    '@type': '@vocab',
    '@context': { authentication: `${SECURITY}authenticationMethod` },
  },
  challenge: '@type',
  domain: '@index',
  nonce: `${SECURITY}challenge`,
  cryptosuite: `${SECURITY}domain`,
}

const exchanged = (type: string, challenge: string, names: object = {}) => ({
  [challenge]: SECURITY + type,
  [type]: { '@id': SECURITY + type, '@context': { ...TERMS, ...names } },
})

const CASES: [type: ProofType, base: string, suite: string][] = [
  ['Ed25519Signature2020', CONTEXT.credentialsV1, CONTEXT.ed25519Signature2020],
  ['Ed25519Signature2020', CONTEXT.credentialsV2, CONTEXT.ed25519Signature2020],
  ['Ed25519Signature2018', CONTEXT.credentialsV2, CONTEXT.ed25519Signature2018],
]

for (const [type, base, suite] of CASES)
  test(`a presentation is not repeated with another challenge and domain: ${type} after ${base} (D-1171)`, async (t) => {
    const signer = ed25519Signer()
    const credential = { '@context': [base, suite], type: ['VerifiablePresentation'], holder: signer.did }
    const signed = await signCredential(
      {
        credential,
        proofType: type,
        signer,
        now: new Date('2026-01-01T00:00:00Z'),
        proofPurpose: 'authentication',
        challenge: 'first',
        domain: 'one.example',
      },
      { documentLoader },
    )
    t.is(await verdict(signed, signer), 'verified')
    const proof = { ...Object(signed.proof), challenge: 'second', domain: 'two.example' }
    t.is(await verdict({ ...signed, proof }, signer), 'no match')
    const forged = { ...proof, nonce: 'first', cryptosuite: 'one.example' }
    const contexts = [base, exchanged(type, 'second')]
    t.regex(await verdict({ ...signed, '@context': contexts, proof: forged }, signer), /\.(elsewhere|unsigned)$/)
    const swapped = { ...proof, challenge: 'one.example', domain: 'first' }
    const names = { challenge: `${SECURITY}domain`, domain: `${SECURITY}challenge` }
    const swapping = [base, exchanged(type, 'second', names)]
    t.is(await verdict({ ...signed, '@context': swapping, proof: swapped }, signer), 'credential.elsewhere')
  })

/** The end of a proof that its holder wants to be longer, and a context by which another member has the signed one. */
const LATER = {
  nonce: { '@id': `${SECURITY}expiration`, '@type': DATE },
  expires: '@index',
}

for (const [type, signerOf] of [
  ['bbs-2023', bbsSigner],
  ['ecdsa-sd-2023', p256Signer],
] as const)
  test(`the contexts of a credential of data model 1.1 cannot move the end of a ${type} proof (D-1171)`, async (t) => {
    t.timeout(120_000)
    const signer = await signerOf()
    const { did: issuer } = signer
    const credential = {
      '@context': [CONTEXT.credentialsV1, CONTEXT.dataIntegrityV2],
      type: ['VerifiableCredential'],
      issuer,
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: 'did:example:a' },
    }
    const terms = {
      DataIntegrityProof: {
        '@id': `${SECURITY}DataIntegrityProof`,
        '@context': {
          ...TERMS,
          challenge: null,
          domain: null,
          cryptosuite: { '@id': `${SECURITY}cryptosuite`, '@type': `${SECURITY}cryptosuiteString` },
          proofPurpose: { '@id': `${SECURITY}proofPurpose`, '@type': '@vocab' },
          assertionMethod: `${SECURITY}assertionMethod`,
          ...LATER,
        },
      },
    }
    const request = { proofType: type, signer, now: new Date('2026-01-01T00:00:00Z') }
    const keep = { hmacKey: randomBytes(32), ephemeral: randomBytes(32), mandatoryPointers: ['/issuer'] }
    const signed = await signCredential({ credential, ...request, ...keep }, { documentLoader })
    const derived = await deriveCredential({ credential: signed, disclose: 'everything' }, { documentLoader })
    t.is(await verdict(derived, signer), 'verified')
    const inline = { ...derived, '@context': [CONTEXT.credentialsV1, terms] }
    t.is(await verdict(inline, signer), 'verified', 'the terms of a proof may be in any context')
    const moved = { ...Object(derived.proof), nonce: '2026-02-01T00:00:00Z', expires: '2027-02-01T00:00:00Z' }
    t.is(await verdict({ ...inline, proof: moved }, signer), 'credential.elsewhere')
  })

const OPTIONS = {
  '@context': [CONTEXT.credentialsV2],
  id: 'urn:x:1',
  type: 'DataIntegrityProof',
  created: '2026-01-01T00:00:00Z',
  expires: '2027-01-01T00:00:00Z',
  verificationMethod: 'did:example:a#key',
  proofPurpose: 'assertionMethod',
  challenge: 'abc',
  domain: ['a.example', 'b.example'],
  previousProof: 'urn:x:2',
}

const STATED = {
  '@id': 'urn:x:1',
  '@type': [`${SECURITY}DataIntegrityProof`],
  'http://purl.org/dc/terms/created': [{ '@value': '2026-01-01T00:00:00Z', '@type': DATE }],
  [`${SECURITY}expiration`]: [{ '@value': '2027-01-01T00:00:00Z', '@type': DATE }],
  [`${SECURITY}verificationMethod`]: [{ '@id': 'did:example:a#key' }],
  [`${SECURITY}proofPurpose`]: [{ '@id': `${SECURITY}assertionMethod` }],
  [`${SECURITY}challenge`]: [{ '@value': 'abc' }],
  [`${SECURITY}domain`]: [{ '@value': 'a.example' }, { '@value': 'b.example' }],
  [`${SECURITY}previousProof`]: [{ '@id': 'urn:x:2' }],
}

const faults = (proof: Json, ...expanded: object[]): string[] => {
  try {
    assertPlainProof(proof, expanded)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors.map(({ path }) => path)
  }
}

test('each member of a proof is signed under its own name, with its value (D-1171)', (t) => {
  t.deepEqual(faults(OPTIONS, STATED), [])
  const embedded = { ...OPTIONS, verificationMethod: { id: 'did:example:a#key', type: 'Multikey' } }
  t.deepEqual(faults(embedded, STATED), [], 'a method within the proof is read by its id')
  t.deepEqual(faults({ ...OPTIONS, nonce: null }, STATED), [], 'null says nothing')
  const others = { ...OPTIONS, proofPurpose: 'authentication' }
  const purpose = `${SECURITY}proofPurpose`
  t.deepEqual(faults(others, { ...STATED, [purpose]: [{ '@id': `${SECURITY}authenticationMethod` }] }), [])
  for (const [member, value] of Object.entries(OPTIONS).filter(([name]) => name !== '@context')) {
    t.deepEqual(faults({ ...OPTIONS, [member]: 'x' }, STATED).slice(0, 1), [`/proof/${member}`])
    t.deepEqual(faults({ ...OPTIONS, [member]: [value, 'x'] }, STATED).slice(0, 1), [`/proof/${member}`])
    t.true(faults({ ...OPTIONS, [member]: { '@value': value } }, STATED).length > 0, member)
    const { [member]: _, ...rest } = OPTIONS as Json
    t.true(faults(rest, STATED).length > 0, `${member} is signed and is no member`)
  }
  for (const iri of Object.keys(STATED)) {
    const { [iri]: _, ...rest } = STATED as Json
    t.is(faults(OPTIONS, rest).length, 1, `${iri} is not signed`)
  }
  t.deepEqual(faults(OPTIONS, { ...STATED, 'urn:p': [] }), ['/proof'])
  t.deepEqual(faults(OPTIONS, { ...STATED, '@index': 'x' }), ['/proof'])
  t.deepEqual(faults(OPTIONS, { ...STATED, '@type': [SECURITY, `${SECURITY}DataIntegrityProof`] }), ['/proof/type'])
  t.deepEqual(faults(OPTIONS, STATED, STATED), ['/proof'])
  t.true(faults(OPTIONS).length > 5)
  const list = { ...STATED, [`${SECURITY}challenge`]: [{ '@list': [{ '@value': 'abc' }] }] }
  t.deepEqual(faults(OPTIONS, list), ['/proof/challenge'])
})
