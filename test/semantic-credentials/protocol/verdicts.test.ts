import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import type { Json, ProofCheck } from '../../../protocol/data-integrity/index.ts'
import type { DidDocument } from '../../../protocol/dids/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { type VerifyRequest, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'

const ISSUER = 'did:example:issuer'
const METHOD = `${ISSUER}#key`
const now = new Date('2026-03-01T12:00:00Z')

const methodOf = (did: string, more: Json = {}) => ({ id: `${did}#key`, type: 'Multikey', controller: did, ...more })

const didDocument = (did: string, more: Json = {}): DidDocument => ({
  id: did,
  verificationMethod: [methodOf(did)],
  assertionMethod: [`${did}#key`],
  ...more,
})

const proofOf = (more: Json = {}): Json => ({
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-rdfc-2022',
  proofPurpose: 'assertionMethod',
  verificationMethod: METHOD,
  proofValue: 'z1',
  ...more,
})

const credentialWith = (more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiableCredential'],
  issuer: ISSUER,
  credentialSubject: { name: 'x' },
  proof: proofOf(),
  ...more,
})

/** Verifies where every signature is right and every DID resolves, unless it is said otherwise. */
async function verify(more: Json, rules: Partial<VerifyRequest> = {}) {
  const checked: ProofCheck[] = []
  const { verified, reason } = await verifyCredential({
    credential: credentialWith(more),
    now,
    resolveDid: async (did) => didDocument(did),
    async checkProof(check) {
      checked.push(check)
      return { verified: true }
    },
    ...rules,
  })
  return { verified, types: reason.map(({ type }) => type), messages: reason.map(({ message }) => message), checked }
}

const types = async (more: Json, rules?: Partial<VerifyRequest>) => (await verify(more, rules)).types
const withProof = (more: Json, rules?: Partial<VerifyRequest>) => types({ proof: proofOf(more) }, rules)

test('a credential whose proof is right is verified, and the proof is over all but the proofs', async (t) => {
  const { proof, ...document } = credentialWith()
  const { verified, messages, checked } = await verify({})
  t.deepEqual([verified, messages], [true, []])
  t.deepEqual(checked, [{ document, proof, method: methodOf(ISSUER) }] as object[])
})

test('faults of the syntax end the verification, the first ten of them, by the model that the contexts begin with', async (t) => {
  const { types: all, messages, checked } = await verify({ issuer: 'nobody', '@index': 'x' })
  t.deepEqual(all, ['Syntax', 'Syntax'])
  t.deepEqual(messages, ['/issuer must be a URI', '/@index is not signed: leave it out'])
  t.deepEqual(checked, [])
  const subjects = Array.from({ length: 12 }, () => ({}))
  t.is((await verify({ credentialSubject: subjects })).messages.length, 10)
  t.false((await verify({ issuer: 'nobody' })).verified)
  t.deepEqual(await types({ '@context': CONTEXT.credentialsV2, issuanceDate: undefined }), [])
  const first = { '@context': [CONTEXT.credentialsV1, CONTEXT.credentialsV2] }
  t.deepEqual(await types(first), ['Syntax'], 'without the date of 1.1')
  t.deepEqual(await types({ ...first, issuanceDate: '2026-01-01T00:00:00Z' }), [])
})

test('a credential has one to ten proofs (D-238)', async (t) => {
  for (const proof of [undefined, []]) t.deepEqual(await types({ proof }), ['Proof'])
  t.regex((await verify({ proof: [] })).messages[0] ?? '', /has no proof/)
  t.deepEqual(await types({ proof: Array.from({ length: 10 }, () => proofOf()) }), [])
  const { types: many, messages, checked } = await verify({ proof: Array.from({ length: 11 }, () => proofOf()) })
  t.deepEqual([many, checked], [['Proof'], []])
  t.regex(messages[0] ?? '', /more than 10 proofs/)
})

test('one proof is made with a key of the issuer, unless the caller leaves that out; every proof counts (D-238)', async (t) => {
  const other = proofOf({ verificationMethod: 'did:example:other#key' })
  t.deepEqual(await types({ proof: other }), ['Issuer'])
  t.deepEqual(await types({ proof: [other, proofOf()] }), [])
  t.deepEqual(await types({ proof: other }, { skip: new Set(['credentialIssuer']) }), [])
  t.deepEqual(await types({ proof: other }, { skip: new Set(['credentialStatus']) }), ['Issuer'])
  t.deepEqual(await types({ proof: other, issuer: { id: 'did:example:other' } }), [])
  t.deepEqual(await types({ proof: proofOf({ verificationMethod: { id: METHOD } }) }), [], 'a method with members')
  const lookAlike = proofOf({ verificationMethod: `${ISSUER}2#key` })
  t.deepEqual(await types({ proof: lookAlike }), ['Issuer'], 'a DID that begins alike')
  const two = await verify(
    { proof: [proofOf(), proofOf({ proofValue: 'z2' })] },
    {
      checkProof: async ({ proof }) =>
        proof.proofValue === 'z1' ? { verified: true } : { verified: false, message: 'wrong' },
    },
  )
  t.deepEqual([two.verified, two.types, two.messages], [false, ['Proof'], ['wrong']])
})

test('an issuer that is its own method has made the proof (a DID URL without a fragment)', async (t) => {
  const resolveDid = async (did: string) => didDocument(did, { verificationMethod: [{ ...methodOf(did), id: did }] })
  t.deepEqual(await withProof({ verificationMethod: ISSUER }, { resolveDid }), ['Issuer'], 'it may not assert')
  const allowed = async (did: string) => ({ ...(await resolveDid(did)), assertionMethod: [did] })
  t.deepEqual(await withProof({ verificationMethod: ISSUER }, { resolveDid: allowed }), [])
})

test('a proof has known members alone: another name could say what no check reads (D-130)', async (t) => {
  const known = {
    '@context': CONTEXT.credentialsV2,
    id: 'urn:x:1',
    created: '2026-01-01T00:00:00Z',
    expires: '2027-01-01T00:00:00Z',
    challenge: 'c',
    domain: 'd',
    nonce: 'n',
    jws: 'a..b',
    signatureValue: 's',
  }
  t.deepEqual(await withProof(known), [])
  const { types: unknown, messages, checked } = await verify({ proof: proofOf({ ended: 'x' }) })
  t.deepEqual([unknown, checked], [['Proof'], []])
  t.is(messages[0], 'The proof has an unknown member ended.')
  const long = await verify({ proof: proofOf({ ['x'.repeat(300)]: 1 }) })
  t.is(long.messages[0], `The proof has an unknown member ${'x'.repeat(100)}.`)
})

test('the purpose of a credential’s proof is to assert (VC-DI 1.0, section 4.4)', async (t) => {
  for (const proofPurpose of ['authentication', undefined, ['assertionMethod']]) {
    const { types: all, checked } = await verify({ proof: proofOf({ proofPurpose }) })
    t.deepEqual([all, checked], [['Proof'], []])
  }
})

test('a proof is from the past and has not ended, within the tolerance (VC-DI 1.0, section 2.1; D-167)', async (t) => {
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
  for (const [members, expected] of [
    [{ created: at(0) }, []],
    [{ created: at(1) }, ['Proof']],
    [{ expires: at(1) }, []],
    [{ expires: at(0) }, ['Proof']],
    [{ created: 'x' }, ['Proof']],
    [{ expires: 'x' }, ['Proof']],
    [{ created: null }, ['Proof']],
    [{ expires: null }, ['Proof']],
    [{ created: at(-1), expires: at(0) }, ['Proof']],
    [{ created: '2026-01-01T00:00:00' }, []],
  ] as [Json, string[]][])
    t.deepEqual(await withProof(members), expected, JSON.stringify(members))
  const toleranceMs = 1_000
  t.deepEqual(await withProof({ created: at(1_000) }, { toleranceMs }), [])
  t.deepEqual(await withProof({ created: at(1_001) }, { toleranceMs }), ['Proof'])
  t.deepEqual(await withProof({ expires: at(-999) }, { toleranceMs }), [])
  t.deepEqual(await withProof({ expires: at(-1_000) }, { toleranceMs }), ['Proof'])
})

test('a proof of a chain is over the proofs that it names, and all of them are there (VC-DI 1.0, section 4.7)', async (t) => {
  const [one, two] = [proofOf({ id: 'urn:x:1' }), proofOf({ id: 'urn:x:2', proofValue: 'z2' })]
  const over = async (previousProof: unknown, ...proofs: Json[]) => {
    const last = proofOf({ id: 'urn:x:3', proofValue: 'z3', previousProof })
    const { types: all, checked } = await verify({ proof: [...proofs, last] })
    return all.length > 0 ? all : checked.find(({ proof }) => proof === last)?.document.proof
  }
  t.deepEqual(await over('urn:x:1', one, two), [one])
  t.deepEqual(await over(['urn:x:2', 'urn:x:1'], one, two), [one, two])
  t.deepEqual(await over(['urn:x:1', 'urn:x:1'], one), [one])
  t.deepEqual(await over([], one), ['Proof'])
  t.deepEqual(await over('urn:x:9', one), ['Proof'])
  t.deepEqual(await over(['urn:x:1', 'urn:x:9'], one), ['Proof'])
  t.deepEqual(await over('urn:x:3', one), ['Proof'], 'itself')
  t.deepEqual(await over('urn:x:1', one, one), ['Proof'], 'two of one name')
  t.deepEqual(await over([undefined], proofOf()), ['Proof'], 'one without a name')
  const { types: none, checked } = await verify({ proof: [one, two] })
  t.deepEqual([none, checked.map(({ document }) => 'proof' in document)], [[], [false, false]])
})

test('a key that the DID document does not allow, or has ended, is of the issuer (Controlled Identifiers 1.0)', async (t) => {
  const of = (more: Json) => withProof({}, { resolveDid: async (did) => didDocument(did, more) })
  const method = (more: Json) => of({ verificationMethod: [methodOf(ISSUER, more)] })
  t.deepEqual(await of({ assertionMethod: [] }), ['Issuer'])
  t.deepEqual(await of({ assertionMethod: [], authentication: [METHOD] }), ['Issuer'])
  t.deepEqual(await of({ verificationMethod: [] }), ['Issuer'], 'did.method_not_found')
  t.deepEqual(await method({ controller: 'did:example:other' }), ['Issuer'])
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
  for (const member of ['revoked', 'expires']) {
    t.deepEqual(await method({ [member]: at(1) }), [])
    t.deepEqual(await method({ [member]: '2099-01-01T00:00:00' }), [], 'a zone is not required')
    for (const end of [at(0), 'x', null, true]) t.deepEqual(await method({ [member]: end }), ['Issuer'], String(end))
  }
  const end = async (more: Json) =>
    (await verify({}, { resolveDid: async (did) => didDocument(did, { verificationMethod: [methodOf(did, more)] }) }))
      .messages[0]
  t.is(await end({ expires: at(0) }), `The DID document marks ${METHOD} as expired.`)
  t.is(await end({ revoked: at(0) }), `The DID document marks ${METHOD} as revoked.`)
})

test('what keeps a proof from being checked is said of its part, and what is our own fault is thrown', async (t) => {
  const resolving = (error: Error) => withProof({}, { resolveDid: () => Promise.reject(error) })
  const checking = (error: Error) => withProof({}, { checkProof: () => Promise.reject(error) })
  t.deepEqual(await resolving(new Refusal('did.not_found', 'x')), ['Issuer'])
  t.deepEqual(await resolving(new Refusal('outbound.tls', 'x')), ['Issuer'])
  t.deepEqual(await resolving(new Unavailable('outbound', 'x')), ['Issuer'])
  t.deepEqual(await checking(new Refusal('context.unknown', 'x')), ['Context'])
  t.deepEqual(await checking(new Unavailable('outbound', 'x')), ['Context'])
  t.deepEqual(await checking(new Refusal('did.key_unsupported', 'x')), ['Issuer'])
  t.deepEqual(await checking(new Refusal('outbound.did.x', 'x')), ['Context'])
  t.deepEqual(await withProof({ verificationMethod: 'nonsense' }), ['Issuer', 'Issuer'], 'did.invalid')
  for (const error of [new Refusal('credential.too_complex', 'x'), new Unavailable('database', 'x'), new Error('x')]) {
    await t.throwsAsync(checking(error), { is: error })
    if (!(error instanceof Refusal)) await t.throwsAsync(resolving(error), { is: error })
  }
})

test('dates and status count beside the proof, in this order, and each may be left out', async (t) => {
  const entry = { id: 'urn:x:1', type: 'BitstringStatusListEntry' }
  const members = {
    validFrom: '2026-03-02T00:00:00Z',
    expirationDate: '2026-01-01T00:00:00Z',
    credentialStatus: entry,
    proof: proofOf({ verificationMethod: 'did:example:other#key' }),
  }
  const seen: unknown[] = []
  const status: VerifyRequest['status'] = async (...call) => {
    seen.push(call)
    return { state: 'revoked' }
  }
  t.deepEqual(await types(members, { status }), ['Issuer', 'NotYetValid', 'Expired', 'Revoked'])
  t.deepEqual(seen, [[entry, credentialWith(members)]])
  t.deepEqual(await types(members, { status, skip: new Set(['credentialValidity']) }), ['Issuer', 'Revoked'])
  t.deepEqual(await types(members, { status, skip: new Set(['credentialStatus']) }), [
    'Issuer',
    'NotYetValid',
    'Expired',
  ])
  t.is(seen.length, 2, 'a status that is left out is not read')
  t.deepEqual(await types({ credentialStatus: entry }), ['StatusUnavailable'], 'there is nobody to ask')
})

test('one thing is said once, and two of one kind are two', async (t) => {
  const proof = [proofOf(), proofOf()]
  const failing: VerifyRequest['checkProof'] = async () => ({ verified: false, message: 'wrong' })
  const alike = await verify({ proof }, { checkProof: failing })
  t.deepEqual([alike.verified, alike.messages], [false, ['wrong']])
  const numbered = [proofOf({ proofValue: 'z1' }), proofOf({ proofValue: 'z2' })]
  const two = await verify(
    { proof: numbered },
    { checkProof: async ({ proof: { proofValue } }) => ({ verified: false, message: String(proofValue) }) },
  )
  t.deepEqual(two.messages, ['z1', 'z2'])
  const credentialStatus = { id: 'urn:x:1', type: 'A' }
  const kinds = await verify(
    { credentialStatus },
    { checkProof: failing, status: async () => ({ state: 'unavailable', message: 'wrong' }) },
  )
  t.deepEqual(kinds.types, ['Proof', 'StatusUnavailable'], 'one text of two checks')
})
