import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { failedIn, REQUESTS, verifyPresentation } from '../../support/credentials/presentations.ts'
import { ed25519Signer, type TestSigner } from '../../support/credentials/signers.ts'
import { codesOf, type Json, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { joseHolder as holderOf, type JoseHolder } from '../../support/enveloped/holders.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  await vcApiSettings(world, true)
  issuer = await createDid(world, 'p256')
})
test.after.always(() => world?.close())

const EXPECTED = { challenge: 'the-challenge', domain: 'verifier.example' }
const SAID = { nonce: EXPECTED.challenge, aud: EXPECTED.domain }

/** A credential about the holder, in an envelope of the platform. */
async function credentialFor(holder: string, proofType = 'vc+jwt'): Promise<{ id: string; credential: Json }> {
  const body = {
    payload: payload(issuer, { credentialSubject: { id: holder, course: 'CS-101' } }),
    proofType,
    revocable: true,
  }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json()
}

const enveloped = (id: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id,
  type: 'EnvelopedVerifiablePresentation',
})

const presentationOf = (holder: string, credentials: unknown[], more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiablePresentation'],
  holder,
  verifiableCredential: credentials,
  ...SAID,
  ...more,
})

const utf8 = (text: string) => new TextEncoder().encode(text)

async function asCose(signer: TestSigner, content: Json, header: [number, string][] = []): Promise<Json> {
  const message = await signCoseSign1(
    {
      protected: new Map<number, string | Uint8Array>([
        [HEADER.typ, 'application/vp+cose'],
        [HEADER.contentType, 'application/vp'],
        [HEADER.kid, utf8(signer.verificationMethod)],
        ...header,
      ]),
      payload: utf8(JSON.stringify(content)),
    },
    signer,
  )
  return enveloped(`data:application/vp+cose;base64,${Buffer.from(message).toString('base64')}`)
}

const asJwt = (jwt: string) => enveloped(`data:application/vp+jwt,${jwt}`)

for (const alg of ['ES256', 'ES384', 'ES512', 'EdDSA'])
  test(`vp+jwt by ${alg} verifies with each credential in it, and its nonce and aud count (VC-JOSE-COSE 1.0, section 3.1.2)`, async (t) => {
    const holder = await holderOf(alg)
    const { id, credential } = await credentialFor(holder.did)
    const other = await credentialFor(holder.did, 'vc+cose')
    const presentation = asJwt(await holder.sign(presentationOf(holder.did, [credential, other.credential])))
    const verdict = await verifyPresentation(world, presentation, EXPECTED)
    t.like(verdict, { verified: true, reason: '' })
    t.false(verdict.warnings.some(({ type }) => type.endsWith('Unchecked')))
    const passed = verdict.checks.filter(({ outcome }) => outcome === 'passed').map(({ check }) => check)
    for (const check of ['form', 'challenge', 'domain', 'holderProof', 'holder', 'credentialProof', 'holderBinding'])
      t.true(passed.includes(check), check)
    t.deepEqual(failedIn(await verifyPresentation(world, presentation, { ...EXPECTED, challenge: 'another-one' })), [
      ['challenge', '/id'],
    ])
    t.deepEqual(failedIn(await verifyPresentation(world, presentation, { ...EXPECTED, domain: 'other.example' })), [
      ['domain', '/id'],
    ])
    const unasked = await verifyPresentation(world, presentation)
    t.deepEqual(
      unasked.warnings.flatMap(({ type, path }) => (type.endsWith('Unchecked') ? [[type, path]] : [])),
      [
        ['ChallengeUnchecked', '/id'],
        ['DomainUnchecked', '/id'],
      ],
    )
    await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, {
      token: world.token,
      body: { is_revoked: true },
    })
    t.deepEqual(failedIn(await verifyPresentation(world, presentation, EXPECTED)), [
      ['credentialStatus', '/verifiableCredential/0'],
    ])
  })

test('vp+cose verifies, and its nonce and aud count (VC-JOSE-COSE 1.0, section 3.3.2)', async (t) => {
  const holder = ed25519Signer()
  const { credential } = await credentialFor(holder.did, 'vc+cose')
  const presentation = await asCose(holder, presentationOf(holder.did, [credential]))
  t.like(await verifyPresentation(world, presentation, EXPECTED), { verified: true, reason: '' })
  t.deepEqual(failedIn(await verifyPresentation(world, presentation, { ...EXPECTED, challenge: 'another-one' })), [
    ['challenge', '/id'],
  ])
  const asCredential = await asCose(holder, presentationOf(holder.did, []), [[HEADER.typ, 'application/vc+cose']])
  t.regex((await verifyPresentation(world, asCredential, EXPECTED)).reason, /^form at \/id: envelope\.type/)
})

test('the VC API verifies both, and refuses what does not verify', async (t) => {
  const holder = await holderOf('ES256')
  const { credential } = await credentialFor(holder.did)
  const signer = ed25519Signer()
  for (const verifiablePresentation of [
    asJwt(await holder.sign(presentationOf(holder.did, [credential]))),
    await asCose(signer, presentationOf(signer.did, [credential])), // the VC API binds no holder
  ]) {
    const verified = await vcApi(world, 'presentations/verify', { verifiablePresentation, options: EXPECTED })
    t.is(verified.status, 200, verified.text)
    const options = { ...EXPECTED, challenge: 'another-one' }
    const refused = await vcApi(world, 'presentations/verify', { verifiablePresentation, options })
    t.deepEqual([refused.status, codesOf(refused.text)], [400, ['presentation.not_verified', 'challenge']])
  }
})

test('an enveloped presentation answers a presentation request, once', async (t) => {
  const holder = await holderOf('EdDSA')
  const { credential } = await credentialFor(holder.did)
  const query = [
    {
      type: 'QueryByExample',
      credentialQuery: [{ example: { '@context': [CONTEXT.credentialsV2], type: 'VerifiableCredential' } }],
    },
    { type: 'DIDAuth' },
  ]
  const asked = await world.ask(REQUESTS, {
    token: world.token,
    body: { domain: 'verifier.example', name: 'Course', query },
  })
  const { challenge } = asked.json<{ challenge: string }>()
  const presentation = asJwt(await holder.sign(presentationOf(holder.did, [credential], { nonce: challenge })))
  t.like(await verifyPresentation(world, presentation), { verified: true, reason: '' })
  t.regex((await verifyPresentation(world, presentation)).reason, /^request: .* was answered before/)
})

/** Presentations that are refused, with the reason's check and code. */
const REFUSED: [what: string, of: (holder: JoseHolder, credential: Json) => Promise<Json>, reason: RegExp][] = [
  [
    'alg none',
    async ({ did }, credential) =>
      asJwt(
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(presentationOf(did, [credential]))).toString('base64url')}.`,
      ),
    /^form at \/id: envelope\.unsigned/,
  ],
  [
    'typ of a credential',
    async ({ did, sign }, credential) => asJwt(await sign(presentationOf(did, [credential]), { typ: 'vc+jwt' })),
    /^form at \/id: envelope\.type/,
  ],
  [
    'cty of a credential',
    async ({ did, sign }, credential) => asJwt(await sign(presentationOf(did, [credential]), { cty: 'vc' })),
    /^form at \/id: envelope\.content_type/,
  ],
  [
    'the claim vp of data model 1.1',
    async ({ did, sign }, credential) => asJwt(await sign({ iss: did, vp: presentationOf(did, [credential]) })),
    /^form at \/id: envelope\.claim_of_1_1/,
  ],
  [
    'iss of another',
    async ({ did, sign }, credential) => asJwt(await sign(presentationOf(did, [credential], { iss: issuer }))),
    /^form at \/id: envelope\.contradiction/,
  ],
  [
    'a member twice',
    async ({ did, sign }, credential) =>
      asJwt(await sign(`{"holder":"${issuer}",${JSON.stringify(presentationOf(did, [credential])).slice(1)}`)),
    /^form at \/id: envelope\.duplicate_member/,
  ],
  [
    'data model 1.1',
    async ({ did, sign }, credential) =>
      asJwt(await sign(presentationOf(did, [credential], { '@context': [CONTEXT.credentialsV1] }))),
    /^form at \/@context\/0: Only presentations of data model 2\.0/,
  ],
  [
    'an envelope within',
    async ({ did, sign }, credential) => asJwt(await sign(asJwt(await sign(presentationOf(did, [credential]))))),
    /^form at \/id: envelope\.nested/,
  ],
  [
    'no base context around the envelope',
    async ({ did, sign }, credential) => ({
      ...asJwt(await sign(presentationOf(did, [credential]))),
      '@context': ['https://www.w3.org/ns/credentials/examples/v2'],
    }),
    /^form at \/(id|@context)/,
  ],
  [
    'members beside the envelope, which nobody has signed',
    async ({ did, sign }, credential) => ({
      ...asJwt(await sign(presentationOf(did, [credential]))),
      verifiableCredential: [credential],
    }),
    /^form at \/id: envelope\.members/,
  ],
  [
    'a credential in place of a presentation',
    async ({ sign }) => asJwt(await sign(payload(issuer))),
    /^form at \/type: must include VerifiablePresentation/,
  ],
  [
    'too many credentials',
    async ({ did, sign }) => asJwt(await sign(presentationOf(did, Array(21).fill({})))),
    /^form at \/id: presentation\.malformed/,
  ],
  [
    'a changed signature',
    async ({ did, sign }, credential) =>
      asJwt((await sign(presentationOf(did, [credential]))).replace(/.{20}$/, 'A'.repeat(20))),
    /^holderProof at \/id: envelope\.signature/,
  ],
  [
    'no kid',
    async ({ did, sign }, credential) => asJwt(await sign(presentationOf(did, [credential]), { kid: undefined })),
    /^holderProof at \/id: envelope\.key_missing/,
  ],
  [
    'alg of another key',
    async ({ did, kid }, credential) =>
      asJwt(await (await holderOf('EdDSA')).sign(presentationOf(did, [credential]), { kid })),
    /^holderProof at \/id: envelope\.key_unfit/,
  ],
  [
    'the end of its time',
    async ({ did, sign }, credential) => asJwt(await sign(presentationOf(did, [credential], { exp: 1 }))),
    /^holderProof at \/id: envelope\.expired/,
  ],
  [
    'a key of somebody else than the holder that it names',
    async ({ did }, credential) => asJwt(await (await holderOf('ES256')).sign(presentationOf(did, [credential]))),
    /^holder at \/holder: No proof is made with a key of the holder/,
  ],
  [
    'a credential of somebody else',
    async (_, credential) => {
      const other = await holderOf('ES256')
      return asJwt(await other.sign(presentationOf(other.did, [credential])))
    },
    /^holderBinding at \/verifiableCredential\/0\/credentialSubject/,
  ],
  [
    'claims beside the envelope of a credential',
    async ({ did, sign }, credential) =>
      asJwt(await sign(presentationOf(did, [{ ...credential, credentialSubject: { id: did, course: 'CS-999' } }]))),
    /^credentialForm at \/verifiableCredential\/0: Syntax: An EnvelopedVerifiableCredential has no member credentialSubject/,
  ],
]

for (const [what, of, reason] of REFUSED)
  test(`an enveloped presentation with ${what} does not verify`, async (t) => {
    const holder = await holderOf('ES256')
    const { credential } = await credentialFor(holder.did)
    const verdict = await verifyPresentation(world, await of(holder, credential), EXPECTED)
    t.false(verdict.verified)
    t.regex(verdict.reason, reason)
  })

test('a nonce and an audience that are no text are not the expected ones', async (t) => {
  const holder = await holderOf('ES256')
  for (const said of [
    { nonce: { a: 1 } },
    { nonce: [EXPECTED.challenge] },
    { aud: 5 },
    { aud: [] },
    { nonce: undefined },
  ]) {
    const presentation = asJwt(await holder.sign(presentationOf(holder.did, [], said)))
    const { verified, reason } = await verifyPresentation(world, presentation, EXPECTED)
    t.deepEqual([verified, reason.split(' ')[0]], [false, 'aud' in said ? 'domain' : 'challenge'])
  }
  const presentation = asJwt(await holder.sign(presentationOf(holder.did, [], { aud: ['a.example', EXPECTED.domain] })))
  t.like(await verifyPresentation(world, presentation, EXPECTED), { verified: true })
})
