import test from 'ava'
import { createSigning, type SignRequest } from '../../../activities/semantic-credentials/sign.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { testKey } from '../../support/sd-jwt/tokens.ts'

const DID = 'did:example:issuer'

/** Signing with counted entries; `inspect` gets what is checked before one is taken. */
function counted(inspect: (document: Json) => void = () => undefined) {
  const taken: string[] = []
  const { sign: signBytes } = testKey()
  const signer = { keyType: 'p256', verificationMethod: `${DID}#key`, sign: signBytes }
  const parts = {
    documents: { inspect: async (document: Json) => inspect(document) },
    now: () => new Date('2026-11-25T12:00:00Z'),
    tenants: { byId: async () => ({ baseUrl: 'https://platform.example' }) },
    contexts: { lookupFor: () => ({ tenantId: 'tenant', lookup: () => undefined }) },
    entries: {
      async take({ purpose }: { purpose: string }) {
        taken.push(purpose)
        return { listId: `list-of-${purpose}`, index: taken.length }
      },
    },
    signers: { signerOf: async () => ({ did: DID, didId: 'did-id', keyTypes: ['p256'], withKey: () => signer }) },
    policyGate: { async assertMayIssue() {} },
    settings: { wasOn: async () => false },
  }
  const { sign } = createSigning(parts as unknown as Parameters<typeof createSigning>[0])
  const signed = (subject: Json, more: Partial<SignRequest> = {}) => {
    const payload = { '@context': [CONTEXT.credentialsV2], issuer: DID, credentialSubject: subject }
    return sign('tenant', 'id', { payload, proofType: 'vc+sd-jwt', revocable: true, ...more })
  }
  const refused = (subject: Json, more: Partial<SignRequest> = {}) =>
    signed(subject, more).then(
      () => undefined,
      (error: unknown) => (error instanceof Refusal ? error.errors[0]?.code : error),
    )
  return { taken, signed, refused }
}

test('a credential that cannot be signed in its envelope takes no entry of a status list', async (t) => {
  const { taken, refused } = counted()
  const long = 'x'.repeat(370_000)
  const numbers = Array.from({ length: 4_000 }, () => 12_345)
  const plan = { disclosure: { selectively: [['credentialSubject', 'a', null]] } }
  t.is(await refused({ a: Array.from({ length: 1_001 }, () => 1) }, plan), 'disclosure.too_many')
  t.is(await refused({ a: long, b: numbers }), 'credential.too_large')
  t.is(await refused({ a: long, b: long }, { proofType: 'vc+jwt' }), 'credential.too_large')
  t.is(await refused({ a: long, b: long }, { proofType: 'vc+cose' }), 'credential.too_large')
  t.is(await refused({ a: 1 }, { mandatoryPointers: [] }), 'selective')
  const undefinedTerm = counted(() => {
    throw new Refusal('credential.term_undefined', 'A term is undefined.', [{ path: '/a', code: 'term', message: '' }])
  })
  t.is(await undefinedTerm.refused({ a: 1 }), 'term')
  t.deepEqual([...taken, ...undefinedTerm.taken], [])
})

test('what is inspected has a stand-in for each entry, and what is signed has the entries', async (t) => {
  const inspected: Json[] = []
  const { taken, signed } = counted((document) => inspected.push(document))
  const { document, envelope = '', ...row } = await signed({ a: 1 }, { suspendable: true })
  t.deepEqual(taken, ['revocation', 'suspension'])
  t.like(row, { statusListId: 'list-of-revocation', statusIndex: 1, suspensionIndex: 2 })
  const [{ credentialStatus: standIns, ...rest } = {}] = inspected
  const { credentialStatus: entries, ...others } = document
  t.deepEqual(rest, others)
  const shape = (status: unknown) => (status as Json[]).map(({ type, statusPurpose }) => [type, statusPurpose])
  t.deepEqual(shape(standIns), shape(entries))
  t.regex(JSON.stringify(entries), /list-of-revocation.*list-of-suspension/)
  t.deepEqual(readSdJwt(envelope.slice(envelope.indexOf(',') + 1)).payload.credentialStatus, entries)
  t.is(inspected.length, 1)
})
