import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { canonize } from '../../../protocol/data-integrity/canonize.ts'
import { createProofCheck, type Json } from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { credentialErrors, normaliseForVerify, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'
import { presentationErrors } from '../../../protocol/semantic-credentials/presentations/index.ts'
import { vectorFiles, vectorJson, vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'
import { resolveTestDid } from '../../support/credentials/signers.ts'

const files: Record<string, string> = {
  'https://www.w3.org/ns/credentials/examples/v2': 'contexts/w3c-ns-credentials-examples-v2.jsonld',
  'https://www.w3.org/2018/credentials/examples/v1': 'contexts/w3c-2018-credentials-examples-v1.jsonld',
  'https://www.w3.org/ns/odrl.jsonld': 'contexts/w3c-odrl.jsonld',
  'https://w3id.org/citizenship/v1': 'contexts/w3c-ccg-citizenship-v1.jsonld',
  'https://w3id.org/vaccination/v1': 'contexts/w3c-ccg-vaccination-v1.jsonld',
  'https://w3id.org/traceability/v1':
    'ed25519signature2018/packages/ed25519-signature-2018/src/__fixtures__/contexts/trace-v1.json',
}
const documentLoader = createDocumentLoader({
  contexts: (url) => (files[url] === undefined ? undefined : vectorJson<object>(files[url])),
})
const checkProof = createProofCheck({ documentLoader })

/** The suite's endpoints add the issuer that they sign as; a file without one says nothing about it. */
const withIssuer = (credential: Json): Json => {
  const { issuer } = credential
  const isPartial = typeof issuer === 'object' && issuer !== null && !('id' in issuer)
  if (isPartial) return { ...credential, issuer: { id: 'did:example:issuer', ...issuer } }
  return 'issuer' in credential ? credential : { ...credential, issuer: 'did:example:issuer' }
}

const isPresentation = (path: string) => path.includes('/presentation-')

async function accepted(path: string, document: Json): Promise<boolean> {
  const complete = isPresentation(path) ? document : withIssuer(document)
  const errors = isPresentation(path) ? presentationErrors(complete, '2.0') : credentialErrors(complete, '2.0')
  if (errors.length > 0) return false
  try {
    await canonize({ ...complete, proof: undefined }, { documentLoader })
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** The suite fills these two in before it sends the file. */
const dated = (text: string) =>
  text.replace('PAST DATE', '2020-01-01T00:00:00Z').replace('FUTURE DATE', '2060-01-01T00:00:00Z')

withVectors(
  'the W3C data model 2.0 inputs get the verdict that their names carry (vc-data-model-2.0-test-suite)',
  async (t) => {
    const wrong: string[] = []
    const counts = { right: 0, unnamed: 0 }
    for (const path of vectorFiles('vcdm2-inputs/tests/input')) {
      const expected = /-(ok|fail|fail-or-inject)\.json$/.exec(path)?.[1]
      const outcome = await accepted(path, JSON.parse(dated(vectorText(path))))
      if (expected === undefined) counts.unnamed++
      else if (outcome === (expected === 'ok')) counts.right++
      else wrong.push(path)
    }
    t.deepEqual(wrong, [])
    t.deepEqual(counts, { right: 117, unnamed: 3 })
  },
)

const verify = (credential: Json, now: string) =>
  verifyCredential({
    credential: normaliseForVerify(credential),
    now: new Date(now),
    resolveDid: resolveTestDid,
    checkProof,
    status: async () => ({ state: 'valid' }),
  })

withVectors('proof chains hold when every previous proof is there (data-integrity-test-suite-assertion)', async (t) => {
  for (const path of vectorFiles('di-assertion/inputs')) {
    const { verified, reason } = await verify(vectorJson(path), '2026-01-01T00:00:00Z')
    t.is(verified, path.includes('Ok-'), `${path} ${JSON.stringify(reason)}`)
  }
})

withVectors('the W3C proof set and proof chain verify (VC Data Integrity EdDSA 1.0, appendix B.5)', async (t) => {
  for (const name of ['signedProofSet1', 'signedProofSet2', 'signedProofChain1', 'signedProofChain2']) {
    const signed = vectorJson<{ proof: Json | Json[] }>(`w3c-vc-di-eddsa/TestVectors/proof-set-chain/${name}.json`)
    const { reason } = await verify(signed, '2026-01-01T00:00:00Z')
    // The issuer of these documents is an example URL, whose keys the proofs are not: nothing else is wrong.
    t.deepEqual(
      reason.map(({ type }) => type),
      ['Issuer'],
      name,
    )
    const [first, ...rest] = [signed.proof].flat()
    if (rest.length === 0) continue
    const broken = { ...signed, proof: [{ ...first, created: '2023-02-24T23:36:39Z' }, ...rest] }
    t.true(
      (await verify(broken, '2026-01-01T00:00:00Z')).reason.some(({ type }) => type === 'Proof'),
      name,
    )
  }
})

/** Verdicts by number of the file; a few types of proof and methods of DIDs are not supported. */
const FIXTURES: Record<string, number[]> = {
  verified: [1, 2, 12, 14, 15, 22, 23, 24, 25, 26, 27, 28, 29, 30],
  Issuer: [3, 4, 5, 9, 10, 11],
  Proof: [16, 17, 18, 19, 20, 21],
}

withVectors('credentials of other issuers, each with its verdict (vc-api-test-suite fixtures)', async (t) => {
  const verdicts: Record<string, number[]> = {}
  for (const path of vectorFiles('vc-http-api/packages/vc-http-api-test-server/__fixtures__/verifiableCredentials')) {
    const { verified, reason } = await verify(vectorJson(path), '2022-01-01T00:00:00Z')
    const verdict = verified ? 'verified' : reason.map(({ type }) => type).join()
    verdicts[verdict] = [...(verdicts[verdict] ?? []), Number(/case-(\d+)\.json$/.exec(path)?.[1])]
  }
  for (const numbers of Object.values(verdicts)) numbers.sort((a, b) => a - b)
  t.deepEqual(verdicts, FIXTURES)
})
