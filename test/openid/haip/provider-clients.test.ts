import test from 'ava'
import type { JWTPayload } from 'jose'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  PROVIDERS,
  WALLET_CLIENT,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from '../../support/openid/wallet.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let world: World
let template: string
let provider: WalletProvider
let instance: WalletKey
let id: string
test.before(async () => {
  world = await openWorld()
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  provider = await openWalletProvider()
  id = await provider.register(world, { clientIds: ['https://wallet.example/two', WALLET_CLIENT] })
  instance = await createWalletKey()
})
test.after.always(() => world?.close())

const put = (body: object) => world.ask(`${PROVIDERS}/${id}`, { method: 'PUT', token: world.token, body })

async function exchange(sub: string, claims: JWTPayload = {}, header: object = {}): Promise<Reply> {
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: { given_name: 'Ada' } })
  const code = offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? ''
  const challenge = await challengeOf(world)
  return world.ask('/v1/oauth/token', {
    raw: new URLSearchParams({ grant_type: PRE, 'pre-authorized_code': code }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'oauth-client-attestation': await provider.attestWallet(instance, { sub, ...claims }, header),
      'oauth-client-attestation-pop': await attestationProof(instance, world.config.publicUrl.origin, { challenge }),
    },
  })
}

test.serial('a provider vouches for the wallets that are listed, and for no other (D-981)', async (t) => {
  t.is((await exchange(WALLET_CLIENT)).status, 200)
  for (const sub of ['https://wallet.example/', 'https://WALLET.example', `${WALLET_CLIENT}/`, 'another']) {
    const reply = await exchange(sub)
    t.is(reply.status, 401, sub)
    t.like(reply.json<object>(), { error: 'invalid_client' })
    t.deepEqual(reply.json<{ errors: object[] }>().errors, [
      {
        ...{ path: 'OAuth-Client-Attestation', code: 'sub' },
        message: 'expected as sub a client id that the issuer has registered of this wallet provider',
      },
    ])
  }
})

test.serial('two providers with one authority have wallets of their own each', async (t) => {
  const second = await provider.register(world, { name: 'The same maker', clientIds: ['https://other.example'] })
  t.is((await exchange('https://other.example')).status, 200)
  t.is((await exchange(WALLET_CLIENT)).status, 200)
  t.is((await exchange('https://third.example')).status, 401)
  t.is((await world.ask(`${PROVIDERS}/${second}`, { method: 'DELETE', token: world.token })).status, 204)
  t.is((await exchange('https://other.example')).status, 401)
})

test.serial('of two providers with one authority, or one kid, the one counts whose issuer is named', async (t) => {
  const { jwk: strange } = await openWalletProvider()
  const kid = provider.jwk.kid
  const ids: string[] = []
  for (const [issuer, key] of [
    ['https://one.example', strange],
    ['https://two.example', provider.jwk],
  ] as const)
    ids.push(await provider.register(world, { clientIds: ['both'], issuer, jwks: { keys: [{ ...key, kid }] } }))
  for (const header of [{}, { x5c: undefined, kid }]) {
    t.is((await exchange('both', { iss: 'https://two.example' }, header)).status, 200, JSON.stringify(header))
    t.is((await exchange('both', { iss: 'https://three.example' }, header)).status, 401)
  }
  t.is((await exchange('both', { iss: 'https://one.example' }, { x5c: undefined, kid })).status, 401, 'another key')
  const { jwk: third } = await openWalletProvider()
  for (const key of [strange, provider.jwk])
    ids.push(await provider.register(world, { clientIds: ['nameless'], jwks: { keys: [{ ...key, kid }] } }))
  t.is((await exchange('nameless', { iss: undefined }, { x5c: undefined, kid })).status, 200, 'their keys tell')
  ids.push(await provider.register(world, { clientIds: ['third'], jwks: { keys: [{ ...third, kid }] } }))
  t.is((await exchange('third', { iss: undefined }, { x5c: undefined, kid })).status, 401, 'it vouches for others')
  for (const each of ids) await world.ask(`${PROVIDERS}/${each}`, { method: 'DELETE', token: world.token })
})

test.serial('without a list a provider vouches for each of its wallets', async (t) => {
  t.deepEqual((await put({ clientIds: [] })).json<{ clientIds: string[] }>().clientIds, [])
  t.is((await exchange('https://third.example')).status, 200)
  t.deepEqual((await put({ clientIds: ['one'] })).json<{ clientIds: string[] }>().clientIds, ['one'])
  t.is((await exchange('https://third.example')).status, 401)
})

test.serial('client ids that are none are refused at their places', async (t) => {
  for (const [change, place] of [
    [{ clientIds: ['a b'] }, 'clientIds.0'],
    [{ clientIds: [''] }, 'clientIds.0'],
    [{ clientIds: ['x', 'x'] }, 'clientIds.1'],
    [{ clientIds: ['x'.repeat(256)] }, 'clientIds.0'],
    [{ clientIds: Array.from({ length: 101 }, (_, nth) => `wallet-${nth}`) }, 'clientIds'],
    [{ clientIds: ['x'], attests: ['keys'] }, 'clientIds'],
  ] as const) {
    const reply = await put(change)
    t.is(refusal(reply, 400), 'openid_wallet_provider.invalid', reply.text)
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [place],
    )
  }
})
