import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { createProofCheck, type Json, signCredential } from '../../../protocol/data-integrity/index.ts'
import { normaliseForVerify, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'
import type { Asked } from '../../../protocol/semantic-credentials/presentations/checks.ts'
import { verifyPresentation } from '../../../protocol/semantic-credentials/presentations/verify.ts'
import { ed25519Signer, resolveTestDid, type TestSigner } from '../../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })
const now = new Date('2026-03-01T12:00:00Z')
const rules = { now, resolveDid: resolveTestDid, checkProof }

const sign = async (document: Json, signer: TestSigner, more: Json = {}) =>
  signCredential({ credential: document, proofType: 'eddsa-rdfc-2022', signer, now, ...more }, { documentLoader })

async function failuresOf(presentation: Json, more: { challenge?: string; domain?: string; asked?: Asked[] } = {}) {
  const verdict = await verifyPresentation({
    presentation,
    asked: [],
    bindHolder: true,
    means: async () => true,
    verifyCredential: (held) =>
      verifyCredential({ credential: normaliseForVerify(held), ...rules, status: async () => ({ state: 'valid' }) }),
    ...rules,
    ...more,
  })
  return verdict.checks.flatMap(({ check, path, outcome }) => (outcome === 'failed' ? [`${check} ${path}`] : []))
}

const presentationOf = (holder: TestSigner, more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiablePresentation'],
  holder: holder.did,
  ...more,
})

const forAuthentication = (challenge: string, domain = 'verifier.example') => ({
  proofPurpose: 'authentication',
  challenge,
  domain,
})

test('every proof of a presentation answers the challenge and is for the domain, not the first alone (VC-DI 1.0, section 4.4)', async (t) => {
  const holder = ed25519Signer()
  const document = presentationOf(holder)
  const proof = async (challenge: string, domain?: string) =>
    (await sign(document, holder, forAuthentication(challenge, domain))).proof
  const expected = { challenge: 'expected-1', domain: 'verifier.example' }
  const right = await proof('expected-1')
  t.deepEqual(await failuresOf({ ...document, proof: [right, right] }, expected), [])
  const other = await proof('expected-2')
  t.deepEqual(await failuresOf({ ...document, proof: [right, other] }, expected), ['challenge /proof/1/challenge'])
  const elsewhere = await proof('expected-1', 'other.example')
  t.deepEqual(await failuresOf({ ...document, proof: [right, elsewhere] }, expected), ['domain /proof/1/domain'])
})

test('what a credential in a presentation says of its status is its own (D-130)', async (t) => {
  const [issuer, holder] = [ed25519Signer(), ed25519Signer()]
  const credential = await sign(
    {
      '@context': [CONTEXT.credentialsV2],
      id: 'urn:uuid:1',
      type: ['VerifiableCredential'],
      issuer: issuer.did,
      credentialSubject: { id: holder.did },
      credentialStatus: {
        type: 'BitstringStatusListEntry',
        statusPurpose: 'message',
        statusListIndex: '7',
        statusSize: 2,
        statusListCredential: 'https://lists.example/1',
      },
    },
    issuer,
  )
  // the presentation goes by the name of the credential: statements in the one are none of the other
  const document = presentationOf(holder, { id: 'urn:uuid:1', verifiableCredential: [credential] })
  t.deepEqual(await failuresOf(await sign(document, holder, forAuthentication('a-challenge'))), [])
})

test('a request that was answered or has expired takes no answer, and its domain counts', async (t) => {
  const holder = ed25519Signer()
  const presentation = await sign(presentationOf(holder), holder, forAuthentication('a-challenge'))
  const asked = (state: 'open' | 'used' | 'expired', domain = 'verifier.example'): { asked: Asked[] } => ({
    asked: [
      { request: { id: '1', state }, domain, queries: [{ type: 'DIDAuth', path: 'query.0', credentialQuery: [] }] },
    ],
  })
  t.deepEqual(await failuresOf(presentation, asked('open')), [])
  t.deepEqual(await failuresOf(presentation, asked('used')), ['request undefined'])
  t.deepEqual(await failuresOf(presentation, asked('expired')), ['request undefined'])
  t.deepEqual(await failuresOf(presentation, asked('open', 'other.example')), ['domain /proof/domain'])
})

test('a holder is who signed, and a subject is the holder', async (t) => {
  const [issuer, holder, thief] = [ed25519Signer(), ed25519Signer(), ed25519Signer()]
  const credential = await sign(
    {
      '@context': [CONTEXT.credentialsV2],
      type: ['VerifiableCredential'],
      issuer: issuer.did,
      credentialSubject: { id: holder.did },
    },
    issuer,
  )
  const present = (as: TestSigner, by: TestSigner, more: Json = {}) =>
    sign(
      { ...presentationOf(as, { verifiableCredential: [credential] }), ...more },
      by,
      forAuthentication('a-challenge'),
    )
  t.deepEqual(await failuresOf(await present(holder, holder)), [])
  t.deepEqual(await failuresOf(await present(holder, thief)), ['holder /holder'])
  const at = 'holderBinding /verifiableCredential/0/credentialSubject'
  t.deepEqual(await failuresOf(await present(thief, thief)), [at])
  const { holder: _, ...nobody } = presentationOf(thief, { verifiableCredential: [credential] })
  t.deepEqual(await failuresOf(await sign(nobody, thief, forAuthentication('a-challenge'))), [at])
})

test('an id that looks like an SD-JWT with a key binding binds no credential with a proof to its presenter', async (t) => {
  const [issuer, thief] = [ed25519Signer(), ed25519Signer()]
  for (const id of [
    'DATA:application/vc+sd-jwt,x',
    'Data:application/VC+SD-JWT,x~y',
    'urn:data:application/vc+sd-jwt,x',
  ]) {
    const credential = await sign(
      {
        '@context': [CONTEXT.credentialsV2],
        id,
        type: ['VerifiableCredential'],
        issuer: issuer.did,
        credentialSubject: { name: 'Who holds this' },
      },
      issuer,
    )
    const presentation = presentationOf(thief, { verifiableCredential: [credential] })
    const presented = await sign(presentation, thief, forAuthentication('a-challenge'))
    const failures = await failuresOf(presented, { challenge: 'a-challenge', domain: 'verifier.example' })
    t.deepEqual(failures, ['holderBinding /verifiableCredential/0/credentialSubject'], id)
  }
})
