import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { createProofCheck, type Json } from '../../protocol/data-integrity/index.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import { verifyDomainLinkage } from '../../protocol/dids/linked.ts'
import { normaliseForVerify, verifyCredential } from '../../protocol/semantic-credentials/index.ts'
import { verify } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { failedIn, verifyPresentation } from '../support/credentials/presentations.ts'
import { prove } from '../support/credentials/proofs.ts'
import { ed25519Signer, resolveTestDid } from '../support/credentials/signers.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { CLOCK_TOLERANCE_SECONDS: '600' } })
})
test.after.always(() => world?.close())

const checkProof = createProofCheck({ documentLoader: createDocumentLoader() })
const now = new Date('2026-03-01T12:00:00Z')
const toleranceMs = 60_000
const signer = ed25519Signer()

/** So many seconds after the verifier's now. */
const at = (seconds: number): string => new Date(now.getTime() + seconds * 1_000).toISOString()

interface Moved {
  credential?: Json
  proof?: Json
  method?: Json
}

async function verdict(
  { credential = {}, proof = {}, method = {} }: Moved,
  tolerance: number | undefined,
): Promise<string> {
  const document: Json = {
    '@context': [CONTEXT.credentialsV2],
    type: ['VerifiableCredential'],
    issuer: signer.did,
    credentialSubject: { id: 'did:example:holder' },
    ...credential,
  }
  const resolveDid = async (did: string): Promise<DidDocument> => {
    const resolved = await resolveTestDid(did)
    return { ...resolved, verificationMethod: resolved.verificationMethod?.map((each) => ({ ...each, ...method })) }
  }
  const { verified, reason } = await verifyCredential({
    credential: normaliseForVerify({ ...document, proof: await prove(document, signer, proof) }),
    now,
    ...(tolerance === undefined ? {} : { toleranceMs: tolerance }),
    resolveDid,
    checkProof,
  })
  return verified ? 'verified' : reason.map(({ type }) => type).join()
}

const v1: Json = { '@context': [CONTEXT.credentialsV1, CONTEXT.dataIntegrityV2] }

/** What may be dated in a credential, its proof and the document of its issuer; and what is said when the date is wrong. */
const BEGINS: [what: string, moved: (time: string) => Moved, reason: string][] = [
  ['validFrom of a credential', (validFrom) => ({ credential: { validFrom } }), 'NotYetValid'],
  ['issuanceDate of a credential', (issuanceDate) => ({ credential: { ...v1, issuanceDate } }), 'NotYetValid'],
  ['created of a proof', (created) => ({ proof: { created } }), 'Proof'],
]
const ENDS: typeof BEGINS = [
  ['validUntil of a credential', (validUntil) => ({ credential: { validUntil } }), 'Expired'],
  [
    'expirationDate of a credential',
    (expirationDate) => ({ credential: { ...v1, issuanceDate: '2026-01-01T00:00:00Z', expirationDate } }),
    'Expired',
  ],
  ['expires of a proof', (expires) => ({ proof: { expires } }), 'Proof'],
  ['expires of a verification method', (expires) => ({ method: { expires } }), 'Issuer'],
  ['revoked of a verification method', (revoked) => ({ method: { revoked } }), 'Issuer'],
]

for (const [what, moved, reason] of BEGINS)
  test(`${what} may be a minute ahead, and no more (D-167)`, async (t) => {
    t.is(await verdict(moved(at(60)), toleranceMs), 'verified')
    t.is(await verdict(moved(at(61)), toleranceMs), reason)
    t.is(await verdict(moved('2099-01-01T00:00:00Z'), toleranceMs), reason)
    t.is(await verdict(moved(at(0)), undefined), 'verified', 'without a tolerance')
    t.is(await verdict(moved(at(1)), undefined), reason, 'without a tolerance')
  })

for (const [what, moved, reason] of ENDS)
  test(`${what} may have been a minute ago, and no more (D-167)`, async (t) => {
    t.is(await verdict(moved(at(-59)), toleranceMs), 'verified')
    t.is(await verdict(moved(at(-60)), toleranceMs), reason)
    t.is(await verdict(moved(at(1)), undefined), 'verified', 'without a tolerance')
    t.is(await verdict(moved(at(0)), undefined), reason, 'without a tolerance')
  })

test('the two dates of a domain linkage have the same tolerance (D-167)', async (t) => {
  const reasons = async (begun: number, end: number) => {
    const entry = {
      '@context': [CONTEXT.credentialsV1, CONTEXT.didConfigurationV1],
      type: ['VerifiableCredential', 'DomainLinkageCredential'],
      issuer: signer.did,
      issuanceDate: at(begun),
      expirationDate: at(end),
      credentialSubject: { id: signer.did, origin: 'https://issuer.example' },
      proof: { verificationMethod: signer.verificationMethod },
    }
    const rules = { origin: 'https://issuer.example', now, toleranceMs, verifyProof: async () => true }
    return (await verifyDomainLinkage(entry, rules)).reason.map(({ type }) => type)
  }
  t.deepEqual(await reasons(60, 600), [])
  t.deepEqual(await reasons(61, 600), ['NotYetValid'])
  t.deepEqual(await reasons(0, -59), [])
  t.deepEqual(await reasons(0, -60), ['Expired'])
})

test('CLOCK_TOLERANCE_SECONDS counts for credentials, and for those in a presentation', async (t) => {
  const holder = makeHolder()
  const issued = (seconds: number) =>
    makeHolder().issue({
      '@context': [CONTEXT.credentialsV2],
      type: ['VerifiableCredential'],
      validFrom: new Date(Date.now() + seconds * 1_000).toISOString(),
      credentialSubject: { id: holder.did },
    })
  for (const [seconds, reasons] of [
    [300, []],
    [900, ['NotYetValid']],
  ] as const) {
    const credential = await issued(seconds)
    t.deepEqual(
      (await verify(world, credential)).reason.map(({ type }) => type),
      [...reasons],
    )
    const failed = failedIn(
      await verifyPresentation(world, await holder.present([credential], { challenge: 'c0ffee00' })),
    )
    t.deepEqual(
      failed.map(([check]) => check),
      reasons.length > 0 ? ['credentialValidity'] : [],
    )
  }
})

test('a credential whose proof is dated 2099 does not verify', async (t) => {
  const document: Json = {
    '@context': [CONTEXT.credentialsV2],
    type: ['VerifiableCredential'],
    issuer: signer.did,
    credentialSubject: { id: 'did:example:holder' },
  }
  const proof = await prove(document, signer, { created: '2099-01-01T00:00:00Z' })
  t.deepEqual(
    (await verify(world, { ...document, proof })).reason.map(({ type }) => type),
    ['Proof'],
  )
})
