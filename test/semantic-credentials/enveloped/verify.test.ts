import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { signCompactJws } from '../../../protocol/jws.ts'
import { verify } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { ed25519Signer, type TestSigner } from '../../support/credentials/signers.ts'
import { codesOf, type Json, pathsOf, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
  await vcApiSettings(world, true)
})
test.after.always(() => world?.close())

async function enveloped(signer: TestSigner, subject: string, more: Json = {}): Promise<Json> {
  const credential = {
    '@context': [CONTEXT.credentialsV2],
    type: ['VerifiableCredential'],
    issuer: signer.did,
    credentialSubject: { id: subject },
    ...more,
  }
  const header = { alg: 'EdDSA', typ: 'vc+jwt', cty: 'vc', kid: signer.verificationMethod } as const
  const jwt = await signCompactJws(header, credential, signer.sign)
  return {
    '@context': CONTEXT.credentialsV2,
    id: `data:application/vc+jwt,${jwt}`,
    type: 'EnvelopedVerifiableCredential',
  }
}

test.serial('an enveloped credential verifies, and its dates and claims count (VC-JOSE-COSE 1.0)', async (t) => {
  const issuer = ed25519Signer()
  t.deepEqual(await verify(world, await enveloped(issuer, 'did:example:holder')), { verified: true, reason: [] })
  const past = await enveloped(issuer, 'did:example:holder', { validUntil: '2020-01-01T00:00:00Z' })
  t.deepEqual(
    (await verify(world, past)).reason.map(({ type }) => type),
    ['Expired'],
  )
  const contradicting = await enveloped(issuer, 'did:example:holder', { iss: 'did:example:other' })
  t.like(await verify(world, contradicting), { reason: [{ type: 'Syntax', code: 'envelope.contradiction' }] })
  const verified = await vcApi(world, 'credentials/verify', {
    verifiableCredential: await enveloped(issuer, 'did:example:holder'),
  })
  t.is(verified.status, 200, verified.text)
  const refused = await vcApi(world, 'credentials/verify', { verifiableCredential: past })
  t.deepEqual([refused.status, codesOf(refused.text)], [400, ['credential.not_verified', 'Expired']])
})

test.serial('a header that JavaScript cannot convert to text is malformed, and no fault of the server', async (t) => {
  const [header, more] = ['{"alg":{"toString":1}}', '{"alg":"EdDSA","kid":[{"toString":1}]}']
  for (const [type, end] of [
    ['vc+jwt', ''],
    ['vc+sd-jwt', '~'],
  ])
    for (const text of [header, more]) {
      const id = `data:application/${type},${Buffer.from(text).toString('base64url')}.e30.AAAA${end}`
      const verdict = await verify(world, { ...(await enveloped(ed25519Signer(), 'did:example:holder')), id })
      t.like(verdict, { verified: false, reason: [{ type: 'Syntax', code: 'envelope.malformed' }] })
    }
})

test.serial(
  'what is around an envelope must have the base context and its type (VC Data Model 2.0, 4.12.1)',
  async (t) => {
    const good = await enveloped(ed25519Signer(), 'did:example:holder')
    const { type: _type, ...untyped } = good
    const { '@context': _context, ...bare } = good
    const others = [
      { ...good, '@context': [] },
      { ...good, '@context': 'https://www.w3.org/ns/credentials/examples/v2' },
      { ...good, type: 'VerifiableCredential' },
      { ...good, type: [] },
      untyped,
      bare,
    ]
    for (const other of others) {
      const refused = await vcApi(world, 'credentials/verify', { verifiableCredential: other })
      t.is(refused.status, 400, JSON.stringify({ ...other, id: '' }))
      const { verified, reason } = await verify(world, other)
      t.false(verified)
      t.regex(String((reason[0] as { code?: string } | undefined)?.code), /^envelope\.(context|members)$/)
    }
    t.true((await verify(world, { ...good, '@context': [CONTEXT.credentialsV2] })).verified)
  },
)

test.serial('an expected challenge or domain that no proof has is an error: an envelope has none', async (t) => {
  const verifiableCredential = await enveloped(ed25519Signer(), 'did:example:holder')
  t.is((await vcApi(world, 'credentials/verify', { verifiableCredential })).status, 200)
  for (const options of [{ challenge: 'the-challenge' }, { domain: 'verifier.example' }]) {
    const refused = await vcApi(world, 'credentials/verify', { verifiableCredential, options })
    t.is(refused.status, 400)
    t.deepEqual(pathsOf(refused.text), [`verifiableCredential.proof.${Object.keys(options)[0]}`])
  }
})

test.serial('within a presentation its subject must be the holder, as of any other credential', async (t) => {
  const [issuer, holder] = [ed25519Signer(), makeHolder()]
  const check = async (subject: string) => {
    const presentation = await holder.present([await enveloped(issuer, subject)], { challenge: 'the-challenge' })
    const body = { presentation, challenge: 'the-challenge' }
    const path = '/v1/credentials/web-semantic/presentations/verify'
    return (await world.ask(path, { token: world.token, body })).json<{ verified: boolean; reason: string }>()
  }
  t.like(await check(holder.did), { verified: true, reason: '' })
  const { verified, reason } = await check('did:example:another')
  t.false(verified)
  t.regex(reason, /^holderBinding at \/verifiableCredential\/0\/credentialSubject/)
})
