import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import { openWalletProvider, type WalletProvider } from '../../support/openid/haip/attesting.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createWalletKey,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let template: string
let provider: WalletProvider
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'ed25519', world.token, true)
  template = await createMobileTemplate(world)
  provider = await openWalletProvider()
  await provider.register(world)
})
test.after.always(() => world?.close())

const nonceOf = async () =>
  (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce

interface Sent {
  keys: [WalletKey, WalletKey]
  nonce: string
  attestation: string
}

/** Two keys and their attestation; `names` are the kids of their JWKs. */
async function attested(names: readonly (string | undefined)[] = []): Promise<Sent> {
  const keys: [WalletKey, WalletKey] = [await createWalletKey(), await createWalletKey()]
  const nonce = await nonceOf()
  const described = keys.map(({ publicJwk }, place) => {
    const kid = names[place]
    return { publicJwk: { ...publicJwk, ...(kid !== undefined && { kid }) } }
  })
  return { keys, nonce, attestation: await provider.attestKeys(described, { nonce }) }
}

/** Sends a proof whose header has its key by `kid` alone, as the example of appendix F.1 has it. */
async function send(key: WalletKey, { nonce, attestation }: Sent, header: object): Promise<Reply> {
  const iat = Math.floor(Date.now() / 1000)
  const proof = await key.sign(
    { typ: 'openid4vci-proof+jwt', key_attestation: attestation, ...header },
    { aud: world.config.publicUrl.origin, iat, nonce },
  )
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: CLAIMS })
  const token = (await openWallet([]).authorize(uri)).accessToken
  const body = { credential_configuration_id: template, proofs: { jwt: [proof] } }
  let reply = await world.ask('/v1/openid/credential', { token, body })
  for (let tries = 0; reply.status === 202 && tries < 30; tries += 1)
    reply = await world.ask('/v1/openid/credential', { token, body })
  return reply
}

const given = (reply: Reply): number => reply.json<{ credentials?: object[] }>().credentials?.length ?? 0

for (const [place, kid] of [
  [0, '0'],
  [1, '1'],
] as const)
  test(`the kid ${kid} is the attested key of this index (OpenID4VCI 1.0, appendix F.1)`, async (t) => {
    const sent = await attested()
    const reply = await send(sent.keys[place], sent, { kid })
    t.deepEqual([reply.status, given(reply)], [200, 2], reply.text)
    const another = await attested()
    t.is(errorOf(await send(another.keys[1 - place] ?? t.fail(), another, { kid })), '400 invalid_proof')
  })

test('a kid is the attested key whose JWK has it, also where it looks like an index', async (t) => {
  const named = await attested(['first', 'https://wallet.example/keys#2'])
  const reply = await send(named.keys[1], named, { kid: 'https://wallet.example/keys#2' })
  t.deepEqual([reply.status, given(reply)], [200, 2], reply.text)
  const numbered = await attested(['1', '0'])
  t.is((await send(numbered.keys[0], numbered, { kid: '1' })).status, 200)
})

const REFUSED: [what: string, names: string[], header: object][] = [
  ['an index beyond the attested keys', [], { kid: '2' }],
  ['an index that is written in another way', [], { kid: '00' }],
  ['an index that is negative', [], { kid: '-1' }],
  ['a name that no attested key has', ['first', 'second'], { kid: 'third' }],
  ['a name that two attested keys have', ['same', 'same'], { kid: 'same' }],
  ['the empty text', [], { kid: '' }],
  ['a number', [], { kid: 0 }],
  ['a DID of another method', [], { kid: 'did:example:1#0' }],
  ['an index without attestation', [], { kid: '0', key_attestation: undefined }],
]

for (const [what, names, header] of REFUSED)
  test(`a kid that is ${what} is refused`, async (t) => {
    const sent = await attested(names)
    const reply = await send(sent.keys[0], sent, header)
    t.is(errorOf(reply), '400 invalid_proof', reply.text)
    const [error] = reply.json<{ errors: { path: string; code: string }[] }>().errors
    t.deepEqual([error?.path, error?.code], ['proofs.jwt.0', 'kid'])
  })

test('a key by index counts with an attestation of a provider that the tenant trusts alone', async (t) => {
  const stranger = await openWalletProvider()
  const sent = await attested()
  const attestation = await stranger.attestKeys(sent.keys, { nonce: sent.nonce })
  const reply = await send(sent.keys[0], { ...sent, attestation }, { kid: '0' })
  t.is(errorOf(reply), '400 invalid_proof')
  t.is(reply.json<{ errors: { code: string }[] }>().errors[0]?.code, 'trust')
})

test('a key attestation has an algorithm that the metadata names for its type of proof (appendix F.1)', async (t) => {
  const signer = await createWalletKey('ES384')
  const stranger = await openWalletProvider()
  await stranger.register(world, { certificates: [], jwks: { keys: [{ ...signer.publicJwk, kid: 'of P-384' }] } })
  const sent = await attested()
  const [iat, typ] = [Math.floor(Date.now() / 1000), 'key-attestation+jwt']
  const attested_keys = sent.keys.map(({ publicJwk }) => publicJwk)
  const attest = (nonce: string) =>
    signer.sign({ typ, kid: 'of P-384' }, { iat, exp: iat + 3_600, nonce, attested_keys })
  const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<{
    credential_configurations_supported: Record<string, { proof_types_supported: Record<string, object> }>
  }>()
  const types = metadata.credential_configurations_supported[template]?.proof_types_supported
  t.deepEqual(types?.jwt, { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] })
  t.deepEqual(types?.attestation, { proof_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA'] })
  const reply = await send(sent.keys[0], { ...sent, attestation: await attest(sent.nonce) }, { kid: '0' })
  t.is(errorOf(reply), '400 invalid_proof', reply.text)
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: CLAIMS })
  const token = (await openWallet([]).authorize(uri)).accessToken
  const proofs = { attestation: [await attest(await nonceOf())] }
  const alone = await world.ask('/v1/openid/credential', {
    token,
    body: { credential_configuration_id: template, proofs },
  })
  t.true([200, 202].includes(alone.status), alone.text)
})
