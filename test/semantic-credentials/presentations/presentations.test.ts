import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { type Holder, makeHolder } from '../../support/credentials/holders.ts'
import {
  about as aboutIn,
  failedIn,
  VERIFY_PRESENTATION,
  verifyPresentation,
} from '../../support/credentials/presentations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const verify = (presentation: unknown, more: Record<string, unknown> = {}) =>
  verifyPresentation(world, presentation, more)
const about = (holder: Holder, options: Parameters<typeof aboutIn>[2] = {}) => aboutIn(world, holder, options)

for (const base of [CONTEXT.credentialsV1, CONTEXT.credentialsV2])
  for (const suite of ['eddsa-rdfc-2022', 'Ed25519Signature2018'] as const)
    test.serial(
      `a presentation of @digitalbazaar/vc under ${base} with ${suite} verifies, check by check`,
      async (t) => {
        const holder = makeHolder()
        const more = { '@context': [base, { course: 'https://schema.org/courseCode' }] }
        const { credential } = await about(holder, { revocable: true, proofType: suite, more })
        const asked = { challenge: 'a-challenge', domain: 'verifier.example' }
        const presentation = await holder.present([credential], { base, suite, ...asked })
        const verdict = await verify(presentation, asked)
        t.deepEqual([verdict.verified, verdict.reason], [true, ''], JSON.stringify(verdict))
        t.deepEqual(
          verdict.checks.map(({ check, outcome, path }) => [check, outcome, path ?? '']),
          [
            ['form', 'passed', ''],
            ['challenge', 'passed', '/proof/challenge'],
            ['domain', 'passed', '/proof/domain'],
            ['request', 'skipped', ''],
            ['holderProof', 'passed', '/proof'],
            ['holder', 'passed', '/holder'],
            ['credentialForm', 'passed', '/verifiableCredential/0'],
            ['credentialIssuer', 'passed', '/verifiableCredential/0'],
            ['credentialProof', 'passed', '/verifiableCredential/0'],
            ['credentialValidity', 'passed', '/verifiableCredential/0'],
            ['credentialStatus', 'passed', '/verifiableCredential/0'],
            ['holderBinding', 'passed', '/verifiableCredential/0/credentialSubject'],
            ['query', 'skipped', ''],
          ],
        )
      },
    )

test.serial('without challenge and domain in the request, those of the proof count', async (t) => {
  const holder = makeHolder()
  const presentation = await holder.present([(await about(holder)).credential], { challenge: 'anything-at-all' })
  t.true((await verify(presentation)).verified)
  t.true((await verify(presentation, { challenge: null, domain: null })).verified)
})

test.serial('another challenge, another domain: each named with its place', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(holder)
  const presentation = await holder.present([credential], { challenge: 'the-challenge', domain: 'one.example' })
  t.deepEqual(failedIn(await verify(presentation, { challenge: 'another-one' })), [['challenge', '/proof/challenge']])
  const verdict = await verify(presentation, { challenge: 'the-challenge', domain: 'two.example' })
  t.deepEqual(failedIn(verdict), [['domain', '/proof/domain']])
  t.regex(verdict.reason, /^domain at \/proof\/domain: /)
})

test.serial('a changed presentation, one signed by another, one without proof', async (t) => {
  const [holder, thief] = [makeHolder(), makeHolder()]
  const { credential } = await about(holder)
  const presentation = await holder.present([credential], { challenge: 'the-challenge' })
  t.deepEqual(failedIn(await verify({ ...presentation, id: 'urn:x:changed' })), [['holderProof', '/proof']])
  const proof = { ...(presentation.proof as object), challenge: 'fresh-challenge' }
  t.deepEqual(failedIn(await verify({ ...presentation, proof }, { challenge: 'fresh-challenge' })), [
    ['holderProof', '/proof'],
  ])
  const { proof: _, ...bare } = presentation
  t.deepEqual(failedIn(await verify(bare)), [['holderProof', '/proof']])
  const stolen = await thief.present([credential], { challenge: 'the-challenge' })
  t.deepEqual(failedIn(await verify(stolen)), [['holderBinding', '/verifiableCredential/0/credentialSubject']])
  const posed = await thief.present([credential], { challenge: 'the-challenge', more: { holder: holder.did } })
  t.deepEqual(failedIn(await verify(posed)), [['holder', '/holder']])
})

test.serial('a proof of assertion is no holder proof', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(holder)
  const presentation = await holder.present([credential], { challenge: 'the-challenge' })
  const proof = { ...(presentation.proof as object), proofPurpose: 'assertionMethod' }
  const verdict = await verify({ ...presentation, proof })
  t.deepEqual(failedIn(verdict), [['holderProof', '/proof']])
  t.regex(verdict.reason, /authentication/)
})

test.serial('each credential is verified in full, and named by its place', async (t) => {
  const holder = makeHolder()
  const good = await about(holder)
  const revoked = await about(holder, { revocable: true })
  await world.ask(`/v1/credentials/web-semantic/${revoked.id}/revocation-status`, {
    token: world.token,
    body: { is_revoked: true },
  })
  const ended = await about(holder, { more: { validFrom: '2020-01-01T00:00:00Z', validUntil: '2020-02-01T00:00:00Z' } })
  const changed = { ...good.credential, credentialSubject: { id: holder.did, course: 'CS-999' } }
  const unreadable = { ...good.credential, validFrom: 'yesterday' }
  const held = [good.credential, revoked.credential, ended.credential, changed, unreadable]
  const verdict = await verify(await holder.present(held, { challenge: 'the-challenge' }))
  t.deepEqual(failedIn(verdict), [
    ['credentialStatus', '/verifiableCredential/1'],
    ['credentialValidity', '/verifiableCredential/2'],
    ['credentialProof', '/verifiableCredential/3'],
    ['credentialForm', '/verifiableCredential/4'],
  ])
  t.regex(verdict.reason, /^credentialStatus at \/verifiableCredential\/1: Revoked/)
})

test.serial('a credential that discloses no subject could be anybody’s copy', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(holder, { more: { credentialSubject: { course: 'CS-101' } } })
  const verdict = await verify(await holder.present([credential], { challenge: 'the-challenge' }))
  t.deepEqual(failedIn(verdict), [['holderBinding', '/verifiableCredential/0/credentialSubject']])
})

test.serial('CacaoDelegationHolderBinding2022 is refused with its reason (specification, Presentation)', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(holder)
  const context = { holderBinding: 'https://example.org/holderBinding', cacaoDelegation: 'https://example.org/cacao' }
  const presentation = await holder.present([credential], {
    challenge: 'the-challenge',
    more: {
      '@context': [CONTEXT.credentialsV2, { ...context, CacaoDelegationHolderBinding2022: 'https://example.org/C' }],
      holderBinding: { type: 'CacaoDelegationHolderBinding2022', cacaoDelegation: 'ipfs://x' },
    },
  })
  const verdict = await verify(presentation)
  t.deepEqual(failedIn(verdict), [['holderBinding', '/holderBinding']])
  t.regex(verdict.reason, /CacaoDelegationHolderBinding2022 \(CAIP-74\) is not supported/)
})

test.serial('what cannot be taken out of its envelope is refused clearly, presentation and credential', async (t) => {
  const holder = makeHolder()
  const id = 'data:application/vp+jwt,eyJ.e30.x'
  const enveloped = { '@context': CONTEXT.credentialsV2, id, type: 'EnvelopedVerifiablePresentation' }
  t.regex((await verify(enveloped)).reason, /^form at \/id: envelope\.malformed: The JWT is not three parts/)
  const held = {
    '@context': CONTEXT.credentialsV2,
    id: 'data:application/vc+jwt,eyJ',
    type: 'EnvelopedVerifiableCredential',
  }
  const presentation = await holder.present([held], { challenge: 'the-challenge' })
  t.deepEqual(failedIn(await verify(presentation)), [['credentialForm', '/verifiableCredential/0']])
  t.deepEqual(failedIn(await verify({ ...presentation, verifiableCredential: ['eyJ.e30.x'] })), [
    ['holderProof', '/proof'],
    ['credentialForm', '/verifiableCredential/0'],
  ])
})

test.serial('a bbs-2023 credential is derived by its holder and verifies inside a presentation', async (t) => {
  const holder = makeHolder()
  const context = { course: 'https://schema.org/courseCode', grade: 'https://schema.org/value' }
  const { credential } = await about(holder, {
    keyType: 'bls12381g2',
    proofType: 'bbs-2023',
    more: {
      '@context': [CONTEXT.credentialsV2, context],
      credentialSubject: { id: holder.did, course: 'CS-101', grade: 'B' },
    },
  })
  const body = { credential, selectivePointers: ['/credentialSubject/course'], presentationHeader: 'Y2hhbGxlbmdl' }
  const reply = await world.ask('/v1/credentials/web-semantic/derive', { token: world.token, body })
  t.is(reply.status, 200, reply.text)
  const { credential: derived } = reply.json<{ credential: Record<string, unknown> }>()
  t.deepEqual(derived.credentialSubject, { id: holder.did, course: 'CS-101' })
  const verdict = await verify(await holder.present([derived], { challenge: 'the-challenge' }))
  t.deepEqual([verdict.verified, verdict.reason], [true, ''])
})

test.serial('a presentation that is none, or holds too much, is a 400', async (t) => {
  const codes = async (presentation: unknown) => {
    const reply = await world.ask(VERIFY_PRESENTATION, { token: world.token, body: { presentation } })
    return [reply.status, reply.json().type]
  }
  t.deepEqual(await codes(['x']), [400, '/problems#request.invalid'])
  t.deepEqual(await codes('x'), [400, '/problems#request.invalid'])
  t.deepEqual(await codes({ verifiableCredential: Array.from({ length: 21 }, () => ({})) }), [
    400,
    '/problems#presentation.malformed',
  ])
  t.deepEqual(await codes({ '@context': Array.from({ length: 33 }, () => 'https://a.example/') }), [
    400,
    '/problems#presentation.malformed',
  ])
  t.deepEqual(await codes({}), [400, '/problems#presentation.malformed'])
  const empty = await verify({ '@context': [] })
  t.deepEqual(failedIn(empty), [
    ['form', '/@context/0'],
    ['form', '/type'],
  ])
  t.true(empty.checks.slice(2).every(({ outcome }) => outcome === 'skipped'))
})

test.serial(
  'each credential of a presentation must be of a trusted issuer, where the request names them (D-313)',
  async (t) => {
    const holder = makeHolder()
    const { credential } = await about(holder)
    const { issuer } = credential as { issuer: { id: string } }
    const presentation = await holder.present([credential], { challenge: 'of-trusted-issuers' })
    t.true((await verify(presentation, { trustedIssuers: [issuer.id] })).verified)
    const verdict = await verify(presentation, { trustedIssuers: ['did:example:other'] })
    t.false(verdict.verified)
    t.true(verdict.reason.startsWith('credentialIssuer at /verifiableCredential/0:'), verdict.reason)
  },
)
