import { randomBytes } from 'node:crypto'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { bbsData } from '../../../protocol/data-integrity/bbs.ts'
import { bbsProofValue } from '../../../protocol/data-integrity/bbs-value.ts'
import { hashData } from '../../../protocol/data-integrity/hash.ts'
import {
  createProofCheck,
  deriveCredential,
  type Json,
  type ProofType,
  signCredential,
} from '../../../protocol/data-integrity/index.ts'
import {
  normaliseForVerify,
  type VerifyRequest,
  verifyCredential,
} from '../../../protocol/semantic-credentials/index.ts'
import { bbsSigner, ed25519Signer, resolveTestDid, type TestSigner } from '../../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })
const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const LIST = 'https://issuer.example/lists/1'
const now = new Date('2026-03-01T12:00:00Z')
/** Before any time at which something is verified here: a proof that is dated later holds for nobody. */
const signedAt = new Date('2025-12-30T12:00:00Z')

const verify = async (credential: Json, more: Partial<VerifyRequest> = {}) => {
  const rules = { now, resolveDid: resolveTestDid, checkProof, status: async () => ({ state: 'revoked' }) as const }
  const { verified, reason } = await verifyCredential({ credential: normaliseForVerify(credential), ...rules, ...more })
  return { verified, types: reason.map(({ type }) => type) }
}

const MODELS = {
  '1.1': { base: CONTEXT.credentialsV1, from: 'issuanceDate', until: 'expirationDate' },
  '2.0': { base: CONTEXT.credentialsV2, from: 'validFrom', until: 'validUntil' },
}

const STATUS = {
  '1.1': {
    type: 'RevocationList2020Status',
    revocationListIndex: '7',
    revocationListCredential: LIST,
  },
  '2.0': {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: LIST,
  },
}

type Model = keyof typeof MODELS

/** Revoked by what `verify` is told, and expired a day ago. */
async function lapsed(model: Model, signer: TestSigner, proofType: ProofType, subject: Json = {}): Promise<Json> {
  const { base, from, until } = MODELS[model]
  const credential = {
    '@context': [
      base,
      ...(model === '1.1' ? [CONTEXT.revocationList2020, CONTEXT.dataIntegrityV2] : []),
      { course: 'https://schema.org/courseCode' },
    ],
    id: 'urn:uuid:0f5b3d3e-5d0a-4a4c-9b0e-6d9f0c1a2b3c',
    type: ['VerifiableCredential'],
    issuer: signer.did,
    [from]: '2026-01-01T00:00:00Z',
    [until]: '2026-02-28T00:00:00Z',
    credentialStatus: { id: `${LIST}#7`, ...STATUS[model] },
    credentialSubject: { id: 'did:example:holder', course: 'CS-101', ...subject },
  }
  // nothing mandatory: so do issuers elsewhere, and it leaves the holder of a bbs-2023 credential the most room
  const request = { credential, proofType, signer, now: signedAt, hmacKey: randomBytes(32), mandatoryPointers: [] }
  const signed = await signCredential(request, { documentLoader })
  return proofType === 'bbs-2023'
    ? deriveCredential({ credential: signed, disclose: 'everything' }, { documentLoader })
    : signed
}

interface Hidden {
  member: string
  iri: string
  /** What the member's value is in JSON-LD. */
  type: string
}

const DATE = 'http://www.w3.org/2001/XMLSchema#dateTime'

/** One statement, said in a place where nobody looks for it: what any holder can do to a credential. */
const hidings: Record<string, (signed: Json, hidden: Hidden) => Json> = {
  'under its absolute IRI': (signed, { member, iri, type }) => {
    const { [member]: value, ...rest } = signed
    return { ...rest, [iri]: type === '@id' ? value : { '@value': value, '@type': type } }
  },
  'under an alias': (signed, { member, iri, type }) => {
    const { '@context': contexts, [member]: value, ...rest } = signed
    return { ...rest, '@context': [contexts, { alias: { '@id': iri, '@type': type } }].flat(), alias: value }
  },
  'in @nest': (signed, { member }) => {
    const { [member]: value, ...rest } = signed
    return { ...rest, '@nest': { [member]: value } }
  },
  'in a node of the same id': (signed, { member }) => {
    const { [member]: value, ...rest } = signed
    return { ...rest, '@included': [{ id: signed.id, type: 'VerifiableCredential', [member]: value }] }
  },
}

/** Only what is a node of its own can be said from the other side. */
const inReverse = (signed: Json): Json => {
  const { credentialStatus, ...rest } = signed
  const reverse = { [`${CREDENTIALS}credentialStatus`]: { id: signed.id } }
  return { ...rest, '@included': [{ ...Object(credentialStatus), '@reverse': reverse }] }
}

/** Before its end, and with a list that says nothing against it. */
const inTime = { now: new Date('2026-02-01T00:00:00Z'), status: async () => ({ state: 'valid' }) as const }

const suites: [ProofType, () => TestSigner | Promise<TestSigner>][] = [
  ['eddsa-rdfc-2022', ed25519Signer],
  ['bbs-2023', bbsSigner],
]

for (const [proofType, makeSigner] of suites)
  for (const model of ['1.1', '2.0'] as const) {
    const { until } = MODELS[model]
    const members: [what: string, hidden: Hidden][] = [
      ['a status', { member: 'credentialStatus', iri: `${CREDENTIALS}credentialStatus`, type: '@id' }],
      ['an end', { member: until, iri: CREDENTIALS + until, type: DATE }],
    ]
    const where = `${proofType}, data model ${model} (D-130)`

    test(`a credential with both its status and its end in sight is expired and revoked: ${where}`, async (t) => {
      const signed = await lapsed(model, await makeSigner(), proofType)
      t.deepEqual(await verify(signed), { verified: false, types: ['Expired', 'Revoked'] })
      t.deepEqual(await verify(signed, inTime), { verified: true, types: [] })
    })

    for (const [what, hidden] of members)
      test(`${what} that alone is moved out of sight does not verify, whatever it says: ${where}`, async (t) => {
        const signed = await lapsed(model, await makeSigner(), proofType)
        const moved = Object.entries(hidings).map(([how, hide]) => [how, hide(signed, hidden)] as const)
        if (hidden.type === '@id') moved.push(['in reverse', inReverse(signed)])
        for (const [how, credential] of moved)
          t.deepEqual(await verify(credential, inTime), { verified: false, types: ['Context'] }, how)
      })
  }

test('null dates of the other data model do not hide an end or a beginning, empty ones are no dates (D-130)', async (t) => {
  const signed = await lapsed('1.1', ed25519Signer(), 'eddsa-rdfc-2022')
  const late = { ...inTime, now }
  const early = { ...inTime, now: new Date('2025-12-31T00:00:00Z') }
  t.deepEqual(await verify({ ...signed, validUntil: null }, late), { verified: false, types: ['Expired'] })
  t.deepEqual(await verify({ ...signed, validFrom: null }, early), { verified: false, types: ['NotYetValid'] })
  for (const nothing of [[], { '@set': [] }])
    for (const member of ['validUntil', 'validFrom'])
      t.deepEqual(
        await verify({ ...signed, [member]: nothing }, inTime),
        { verified: false, types: ['Syntax'] },
        member,
      )
})

test('a proof that has ended does not hold when its end is said under another name (D-130)', async (t) => {
  const signer = ed25519Signer()
  const { proof: _, credentialStatus: __, ...document } = await lapsed('2.0', signer, 'eddsa-rdfc-2022')
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    verificationMethod: signer.verificationMethod,
    proofPurpose: 'assertionMethod',
    expires: '2026-01-31T00:00:00Z',
  }
  const { bytes } = await hashData(document, options, { documentLoader })
  const proof = { ...options, proofValue: base58btc.encode(await signer.sign(bytes)) }
  const at = (time: string) => ({ now: new Date(time) })
  t.true((await verify({ ...document, proof }, at('2026-01-15T00:00:00Z'))).verified)
  t.deepEqual(await verify({ ...document, proof }, at('2026-02-15T00:00:00Z')), { verified: false, types: ['Proof'] })
  const { expires, ...rest } = proof
  const end = { '@value': expires, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' }
  const hidden = { ...rest, 'https://w3id.org/security#expiration': end }
  t.deepEqual(await verify({ ...document, proof: hidden }, at('2026-02-15T00:00:00Z')), {
    verified: false,
    types: ['Proof'],
  })
})

test('the size of a status cannot be hidden, which would turn the look to another entry (D-130)', async (t) => {
  const signer = ed25519Signer()
  const signed = await lapsed('2.0', signer, 'eddsa-rdfc-2022')
  const { proof: _, ...document } = signed
  const size = { statusSize: 2, statusMessage: [] }
  const credential = { ...document, credentialStatus: { ...Object(document.credentialStatus), ...size } }
  const sized = await signCredential(
    { credential, proofType: 'eddsa-rdfc-2022', signer, now: signedAt },
    { documentLoader },
  )
  t.true((await verify(sized, inTime)).verified)
  const { statusSize: __, ...entry } = credential.credentialStatus
  const iri = 'https://www.w3.org/ns/credentials/status#statusSize'
  const hidden = { '@value': '2', '@type': 'http://www.w3.org/2001/XMLSchema#positiveInteger' }
  t.deepEqual(await verify({ ...sized, credentialStatus: { ...entry, [iri]: hidden } }, inTime), {
    verified: false,
    types: ['Context'],
  })
})

test('keys of an index map look signed and are not: refused on signing and on verifying (D-130)', async (t) => {
  const signer = ed25519Signer()
  const signed = await lapsed('2.0', signer, 'eddsa-rdfc-2022')
  const map = { course: { '@id': 'https://schema.org/courseCode', '@container': '@index' } }
  const labelled: Json = {
    ...signed,
    '@context': [signed['@context'], map].flat(),
    credentialSubject: { id: 'did:example:holder', course: { 'with honours': 'CS-101' } },
  }
  t.deepEqual(await verify(labelled, inTime), { verified: false, types: ['Context'] })
  const { proof: _, ...credential } = labelled
  const refused = await t.throwsAsync(
    signCredential({ credential, proofType: 'eddsa-rdfc-2022', signer, now }, { documentLoader }),
    { code: 'credential.invalid' },
  )
  t.true(JSON.stringify(refused).includes('credential.unsigned'))
})

test('a second name for a type is a type that nobody signed (D-130)', async (t) => {
  const signed = await lapsed('2.0', ed25519Signer(), 'eddsa-rdfc-2022')
  const named = {
    ...signed,
    '@context': [signed['@context'], { Degree: `${CREDENTIALS}VerifiableCredential` }].flat(),
    type: ['VerifiableCredential', 'Degree'],
  }
  t.deepEqual(await verify(named, inTime), { verified: false, types: ['Context'] })
})

test('texts that bbs-2023 does not tell apart are neither signed nor verified (D-131)', async (t) => {
  const signer = await bbsSigner()
  for (const text of ['grade _:A', '_:A', 'grade <urn:bnid:A>', 'urn:bnid:A']) {
    await t.throwsAsync(lapsed('2.0', signer, 'bbs-2023', { course: text }), { code: 'credential.invalid' })
  }
  // as an issuer elsewhere signs it
  const { proof: _, credentialStatus: __, ...plain } = await lapsed('2.0', signer, 'bbs-2023')
  const credential = { ...plain, credentialSubject: { id: 'did:example:holder', course: 'grade _:A' } }
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'bbs-2023',
    verificationMethod: signer.verificationMethod,
    proofPurpose: 'assertionMethod',
  }
  const keep = { hmacKey: randomBytes(32), mandatoryPointers: ['/issuer'] }
  const data = await bbsData(credential, options, keep, { documentLoader })
  const proof = { ...options, proofValue: bbsProofValue(data, await signer.bbsSign(data), signer.publicKey) }
  const changed = { ...credential, credentialSubject: { id: 'did:example:holder', course: 'grade _:F' } }
  const inTime = { now: new Date('2026-02-01T00:00:00Z') }
  for (const each of [credential, changed])
    t.deepEqual(await verify({ ...each, proof }, inTime), { verified: false, types: ['Context'] })
})

test('a method that has ended or was revoked proves nothing (Controlled Identifiers 1.0, section 2.2)', async (t) => {
  const signer = ed25519Signer()
  const signed = await lapsed('2.0', signer, 'eddsa-rdfc-2022')
  const document = await resolveTestDid(signer.did)
  const at = { now: new Date('2026-02-01T00:00:00Z'), status: async () => ({ state: 'valid' }) as const }
  const withEnd = (end: Json) => {
    const verificationMethod = document.verificationMethod?.map((method) => ({ ...method, ...end }))
    return { ...at, resolveDid: async () => ({ ...document, verificationMethod }) }
  }
  for (const member of ['revoked', 'expires']) {
    for (const time of ['2026-02-01T00:00:00Z', '2026-02-01T02:00:00+02:00', 'yesterday', null, ''])
      t.deepEqual(await verify(signed, withEnd({ [member]: time })), { verified: false, types: ['Issuer'] }, `${time}`)
    t.true((await verify(signed, withEnd({ [member]: '2026-02-01T00:00:01Z' }))).verified)
  }
})
