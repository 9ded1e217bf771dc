import test from 'ava'
import { importJWK, type JWK, jwtVerify } from 'jose'
import { createActivities } from '../../../activities/index.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { didsOf, type Resolved } from '../../support/credentials/dids.ts'
import { failedIn, verifyPresentation } from '../../support/credentials/presentations.ts'
import { codesOf, type Json, pathsOf, vcApi, vcApiIssue, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { type Names, openNames } from '../../support/frame/names.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const EXPECTED = { challenge: 'the-challenge', domain: 'verifier.example' }
const PROOF_TYPES = ['vp+jwt', 'vp+cose', 'vp+sd-jwt'] as const

const withPython = needs('Python')
const cwt = pythonWith('cwt==3.3.0')

let names: Names
let world: World
let issuer: string
let holders: { ed25519: string; p256: string; p384: string }
let stranger: string
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  await vcApiSettings(world, true)
  issuer = await createDid(world, 'p256')
  holders = {
    ed25519: await createDid(world),
    p256: await createDid(world, 'p256'),
    p384: await createDid(world, 'p384'),
  }
  stranger = await createDid(world)
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const credentialFor = (holder: string, type = 'vc+sd-jwt') =>
  vcApiIssue(
    world,
    payload(issuer, {
      id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1',
      credentialSubject: { id: holder, course: 'CS' },
    }),
    { type },
  )

const unsigned = (holder: string, credentials: unknown[], more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiablePresentation'],
  holder,
  verifiableCredential: credentials,
  ...more,
})

const prove = (presentation: Json, options: Json) => vcApi(world, 'presentations/prove', { presentation, options })

async function proved(presentation: Json, options: Json): Promise<Json & { id: string }> {
  const reply = await prove(presentation, options)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json<{ verifiablePresentation: Json & { id: string } }>().verifiablePresentation
}

const keyOf = (did: string) => {
  const url = `${did}#${did.slice('did:key:'.length)}`
  return { url, jwk: toJwk(publicKeyOf(dereference(resolveDidKey(did), url, 'authentication').method)) }
}

for (const type of PROOF_TYPES)
  for (const keyType of ['p256', 'p384', 'ed25519'] as const)
    test(`${type} by ${keyType} verifies here, for its challenge and its domain alone (D-951)`, async (t) => {
      const holder = holders[keyType]
      const credentials = [await credentialFor(holder), await credentialFor(holder, 'ecdsa-rdfc-2019')]
      const signed = await proved(unsigned(holder, credentials), { type, ...EXPECTED })
      t.deepEqual(Object.keys(signed), ['@context', 'id', 'type'])
      t.is(signed.type, 'EnvelopedVerifiablePresentation')
      const verdict = await verifyPresentation(world, signed, EXPECTED)
      t.true(verdict.verified, verdict.reason)
      const [first] = failedIn(await verifyPresentation(world, signed, { ...EXPECTED, challenge: 'another-one' }))
      t.is(first?.[0], 'challenge')
      const [other] = failedIn(await verifyPresentation(world, signed, { ...EXPECTED, domain: 'other.example' }))
      t.is(other?.[0], 'domain')
      const reply = await vcApi(world, 'presentations/verify', { verifiablePresentation: signed, options: EXPECTED })
      t.is(reply.status, 200, reply.text)
    })

for (const [keyType, alg] of [
  ['p256', 'ES256'],
  ['p384', 'ES384'],
] as const)
  test(`jose verifies our vp+jwt by ${alg}: payload, nonce and audience (VC-JOSE-COSE 1.0, section 3.1.2)`, async (t) => {
    const holder = holders[keyType]
    const presentation = unsigned(holder, [await credentialFor(holder)])
    const { id } = await proved(presentation, { type: 'vp+jwt', ...EXPECTED })
    const { url, jwk } = keyOf(holder)
    const key = await importJWK({ ...jwk } as JWK, alg)
    const rules = { audience: EXPECTED.domain, typ: 'vp+jwt', algorithms: [alg] }
    const { payload: content, protectedHeader } = await jwtVerify(
      id.slice('data:application/vp+jwt,'.length),
      key,
      rules,
    )
    t.deepEqual(protectedHeader, { alg, typ: 'vp+jwt', cty: 'vp', kid: url })
    t.deepEqual(content, { ...presentation, nonce: EXPECTED.challenge, aud: EXPECTED.domain })
  })

test('our vp+sd-jwt is a JWT without disclosures (VC-JOSE-COSE 1.0, section 3.2.2; D-891)', async (t) => {
  const holder = holders.p256
  const presentation = unsigned(holder, [await credentialFor(holder)])
  const { id } = await proved(presentation, { type: 'vp+sd-jwt', ...EXPECTED })
  const [jwt = '', ...rest] = id.slice('data:application/vp+sd-jwt,'.length).split('~')
  t.deepEqual(rest, [''])
  const { url, jwk } = keyOf(holder)
  const rules = { audience: EXPECTED.domain, typ: 'vp+sd-jwt', algorithms: ['ES256'] }
  const { payload: content, protectedHeader } = await jwtVerify(jwt, await importJWK({ ...jwk } as JWK, 'ES256'), rules)
  t.deepEqual(protectedHeader, { alg: 'ES256', typ: 'vp+sd-jwt', cty: 'vp', kid: url })
  t.deepEqual(content, { ...presentation, nonce: EXPECTED.challenge, aud: EXPECTED.domain })
})

test('vp+sd-jwt refuses what a reader would take for digests, or could not read whole', async (t) => {
  const holder = holders.p256
  const context = [CONTEXT.credentialsV2, { '@vocab': 'https://example.edu/terms#' }]
  const digests = await prove(unsigned(holder, [], { '@context': context, _sd: ['x'] }), { type: 'vp+sd-jwt' })
  t.deepEqual(
    [codesOf(digests.text), pathsOf(digests.text)],
    [['presentation.invalid', 'claim.reserved'], ['presentation._sd']],
  )
  for (const [note, code] of [
    ['x'.repeat(400_000), 'claim.too_long'],
    ['\u00e6'.repeat(200_000), 'presentation.too_large'], // of two bytes each
  ]) {
    const long = unsigned(holder, [], { '@context': context, note })
    t.deepEqual(codesOf((await prove(long, { type: 'vp+sd-jwt' })).text), ['presentation.invalid', code])
  }
})

/** Verifies a COSE_Sign1 in base64 with a public JWK, and prints its payload. */
const VERIFY_COSE = `
import base64, json, sys
import cwt
key = cwt.COSEKey.from_jwk(json.loads(sys.argv[2]))
print(cwt.COSE.new().decode(base64.b64decode(sys.argv[1]), key).decode())
`

for (const [keyType, alg] of [
  ['p256', 'ES256'],
  ['p384', 'ES384'],
] as const)
  withPython(`PyPI’s cwt verifies our vp+cose by ${alg} (VC-JOSE-COSE 1.0, section 3.3.2)`, async (t) => {
    const holder = holders[keyType]
    const presentation = unsigned(holder, [await credentialFor(holder)])
    const { id } = await proved(presentation, { type: 'vp+cose' })
    const { url, jwk } = keyOf(holder)
    const text = await cwt(VERIFY_COSE, id.slice(id.indexOf(',') + 1), JSON.stringify({ ...jwk, alg, kid: url }))
    t.deepEqual(JSON.parse(text), presentation)
  })

test('a presentation by the key of another DID is signed, and does not verify as that of its holder', async (t) => {
  const holder = holders.p256
  const presentation = unsigned(holder, [await credentialFor(holder)])
  const signed = await proved(presentation, { type: 'vp+jwt', verificationMethod: keyOf(stranger).url, ...EXPECTED })
  t.false((await verifyPresentation(world, signed, EXPECTED)).verified)
})

for (const type of PROOF_TYPES)
  test(`${type} refuses what it cannot sign, with the field`, async (t) => {
    const holder = holders.p256
    const refusals: [Json, string[], string[]][] = [
      [
        unsigned(holder, [], { '@context': [CONTEXT.credentialsV1] }),
        ['presentation.invalid', 'presentation.base_context'],
        ['presentation.@context.0'],
      ],
      [
        unsigned(holder, [], { nonce: 'mine' }),
        ['presentation.invalid', 'presentation.registered_claim'],
        ['presentation.nonce'],
      ],
      [
        unsigned(holder, [], { proof: { type: 'DataIntegrityProof' } }),
        ['presentation.invalid', 'presentation.not_yours'],
        ['presentation.proof'],
      ],
      [
        unsigned(holder, [], { oops: 1 }),
        ['credential.term_undefined', 'credential.term_undefined'],
        ['presentation.oops'],
      ],
    ]
    for (const [presentation, codes, paths] of refusals) {
      const reply = await prove(presentation, { type })
      t.is(reply.status, 400)
      t.deepEqual([codesOf(reply.text), pathsOf(reply.text)], [codes, paths])
    }
    const unfit = await prove(unsigned(await createDid(world, 'bls12381g2'), []), { type })
    t.is(codesOf(unfit.text)[0], 'presentation.signer_key_unfit')
  })

test('options.verificationMethod says which key signs, and one that the DID does not have is refused', async (t) => {
  const holder = holders.p256
  const presentation = unsigned(holder, [])
  const { url } = keyOf(holder)
  for (const type of PROOF_TYPES) {
    t.is((await prove(presentation, { type, verificationMethod: url })).status, 201)
    for (const wrong of [`${holder}#none`, `${holder}#`, url.toUpperCase().replace(holder.toUpperCase(), holder)]) {
      const refused = await prove(presentation, { type, verificationMethod: wrong })
      t.is(codesOf(refused.text)[0], 'presentation.signer_key_unfit', wrong)
      t.deepEqual(pathsOf(refused.text), ['options.verificationMethod'])
    }
  }
})

/** The DID URLs of a COMPLETED did:web, by the beginning of the key and the type of the method. */
async function webMethods(url: string) {
  const dids = didsOf(world, world.token)
  const { id, did } = await dids.createWeb(url)
  const { createDidKeys, writeDidDocument, completeDid } = createActivities(world.dependencies)
  for (const step of [createDidKeys, writeDidDocument, completeDid])
    await step({ tenantId: world.first.tenantId, didId: id })
  const { verificationMethod = [] } = (await dids.resolve(did)).json<Resolved>().didDocument
  const of = (key: string) => verificationMethod.find((each) => each.publicKeyMultibase?.startsWith(key))?.id ?? ''
  return { did, ed25519: of('z6Mk'), p256: of('zDn'), p384: of('z82') }
}

test('options.verificationMethod says which key of a did:web signs a proof too (D-858)', async (t) => {
  const { did, ed25519, p256, p384 } = await webMethods(`${names.origin}/prove`)
  const keyUrlOf = async (type: string, verificationMethod?: string) => {
    const { proof } = await proved(unsigned(did, []), { type, verificationMethod })
    return (proof as Json).verificationMethod
  }
  for (const type of ['ecdsa-rdfc-2019', 'ecdsa-jcs-2019']) {
    for (const url of [p256, p384, `${p384}-jwk`])
      t.is(await keyUrlOf(type, url), url.replace('-jwk', ''), 'a proof needs a Multikey')
    t.is(await keyUrlOf(type, did), p256, 'no key is named')
    const signed = await proved(unsigned(did, []), { type, verificationMethod: p384, ...EXPECTED })
    const verdict = await verifyPresentation(world, signed, EXPECTED)
    t.true(verdict.verified, verdict.reason)
    for (const verificationMethod of [ed25519, `${did}#none`, `${did}#`]) {
      const refused = await prove(unsigned(did, []), { type, verificationMethod })
      t.is(codesOf(refused.text)[0], 'presentation.signer_key_unfit', verificationMethod)
      t.deepEqual(pathsOf(refused.text), ['options.verificationMethod'])
    }
  }
  t.is(await keyUrlOf('Ed25519Signature2018', ed25519), `${ed25519}-2018`, 'the form of the key that it needs')
})

test('the envelope of a credential is none of a presentation', async (t) => {
  const reply = await prove(unsigned(holders.p256, []), { type: 'vc+jwt' })
  t.deepEqual(codesOf(reply.text), ['presentation.proof_type_unsupported', 'enum'])
})
